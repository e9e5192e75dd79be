"""A strict stand-in for AMD's Vitis tools, for tests of the vendor's flow on machines that have none.

Programs of the vendor's names read their command lines and configuration files by the documented grammar of a
release, refuse what the real ones refuse, and write files of the right names. Their array simulators run the graph
in aieloom's emulator. They read no code of aieloom's flow: grammar and tables here are written from the documents.
"""
