"""`aieloom completion SHELL`: commands, options and their choices for bash, zsh and fish, from the parser itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

SHELLS = ("bash", "zsh", "fish")
_FILES = "(files)"


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command with its options: name, help, values (a choice of words, or files)."""

    name: str
    help: str
    options: tuple[tuple[str, str, tuple[str, ...]], ...]


def commands_of(parser: argparse.ArgumentParser) -> tuple[Command, ...]:
    """Return the commands of a parser."""
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {a.dest: a.help or "" for a in found._choices_actions}
    return tuple(
        Command(name=name, help=helps.get(name, ""), options=tuple(_options(sub)))
        for name, sub in found.choices.items()
    )


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for action in parser._actions:
        values: tuple[str, ...] = ()
        if action.choices:
            values = tuple(map(str, action.choices))
        elif action.nargs != 0:
            values = (_FILES,)
        for name in action.option_strings:
            yield name, action.help or "", values
        if not action.option_strings and action.choices:
            yield "", action.help or "", values


def script(shell: str, commands: tuple[Command, ...]) -> str:
    """Return the script that a shell sources."""
    if shell == "fish":
        return "\n".join(_fish(commands)) + "\n"
    head = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return head + "\n".join(_bash(commands)) + "\n"


def _bash(commands: tuple[Command, ...]) -> Iterator[str]:
    yield "# aieloom completion bash; in ~/.bashrc: source <(aieloom completion bash)"
    yield "_aieloom() {"
    yield '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=""'
    yield '  if [ "$COMP_CWORD" -eq 1 ]; then'
    names = " ".join(c.name for c in commands)
    yield f'    COMPREPLY=($(compgen -W "{names} --help --quiet --version" -- "$word")); return'
    yield "  fi"
    yield '  case "${COMP_WORDS[1]} $before" in'
    for command in commands:
        for name, _, values in command.options:
            if name and values and values != (_FILES,):
                yield f'    "{command.name} {name}") COMPREPLY=($(compgen -W "{" ".join(values)}" -- "$word")); return;;'
    yield "  esac"
    yield '  case "${COMP_WORDS[1]}" in'
    for command in commands:
        plain = [v for name, _, values in command.options if not name for v in values]
        words = " ".join([*plain, *(name for name, _, _ in command.options if name)])
        if plain:  # a word out of a list: no file
            yield f'    {command.name}) COMPREPLY=($(compgen -W "{words}" -- "$word")); return;;'
        else:
            yield f'    {command.name}) words="{words}";;'
    yield "  esac"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))'
    yield "}"
    yield "complete -o filenames -F _aieloom aieloom"


def _fish(commands: tuple[Command, ...]) -> Iterator[str]:
    yield "# aieloom completion fish; in config.fish: aieloom completion fish | source"
    for command in commands:
        yield f"complete -c aieloom -n __fish_use_subcommand -a {command.name} -d {_quoted(command.help)}"
        seen = f"'__fish_seen_subcommand_from {command.name}'"
        for name, text, values in command.options:
            flag = f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" if name else ""
            given = "" if not values or values == (_FILES,) else f" -x -a {_quoted(' '.join(values))}"
            yield f"complete -c aieloom -n {seen}{flag}{given} -d {_quoted(text)}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
