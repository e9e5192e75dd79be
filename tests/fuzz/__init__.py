"""Whatever files people give: an answer or one clear message; no traceback, no hang, nothing written elsewhere.

python -m tests.fuzz --inputs 20000          # all kinds of files; ends with a table and exit code 0 or 1
python -m tests.fuzz --inputs 500 --kind onnx --seed 7
"""
