# SPDX-License-Identifier: BSD-3-Clause
"""`suiro report`: what was measured, as a page, as pictures and as tables."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from suiro.report.evidence import Group
    from suiro.report.measured import Report
    from suiro.report.sources import Sources

_PAGE = Path("report.html")
_LEAST = ("model", "sure", "mean")  # what a narrow terminal can do without
_MEANING = "best, mean: times as fast as the MPI's own choice, of sizes from 4 KiB up"

InputsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE|FOLDER",
        help="What suiro bench --json printed, what suiro run --trace wrote, files of a store; or "
        "folders of these [default: the store].",
    ),
]
StoreOption = Annotated[
    bool, typer.Option("--store", help="Read the store (SUIRO_STORE), too, beside what is named.")
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the page here [default: report.html]."),
]
CsvOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write every time as a line of a table.")
]
SvgOption = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Write each picture into this folder.")
]
LabOption = Annotated[
    list[str] | None,
    typer.Option(metavar="SPEC", help="A lab's file, for the model; it knows the shipped ones."),
]
ClusterOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The network of your nodes, for the model: cluster.toml."),
]


def report(
    inputs: InputsArgument = None,
    store: StoreOption = False,
    html: HtmlOption = None,
    csv: CsvOption = None,
    svg: SvgOption = None,
    lab: LabOption = None,
    cluster: ClusterOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show what was measured: one page that needs no network, pictures, tables.

    What suiro tune kept:     suiro report

    With a program's calls:   suiro run --trace t.jsonl -- mpirun -np 64 ./app;
                              suiro report --store t.jsonl

    Results of benches:       suiro bench bcast --lab 8x4-shared --json > r.json;
                              suiro report r.json --csv r.csv --svg pictures

    Gains over the MPI's own choice by size and shape, from which size on which algorithm, the
    model's times beside those measured where the network is known, and how sure each figure is.
    The page is written unless only --json, --csv or --svg is asked for.

    What cannot be read is named, with its line, and the rest is shown. Exit code 1 if anything was
    left out, 2 if nothing is left.
    """
    from suiro.output import say
    from suiro.report.predicted import predict

    page = html or (None if json or csv or svg else _PAGE)
    _check_places(page, csv, svg)
    sources = _read(inputs or [], store)
    found = _report(sources)
    found.remarks = predict(found.measured, lab or [], cluster)
    for line in [*map(str, found.left_out), *found.remarks]:
        say(line)
    try:
        _print(found, json)
    finally:  # where nobody can read it there, too
        whole = _write_files(found, page, csv, svg)
    if whole and page is not None and not json:
        typer.echo(f"report: {page}")
    raise typer.Exit(1 if found.left_out or not whole else 0)


def _read(inputs: list[Path], with_store: bool) -> "Sources":
    from suiro.errors import UsageError
    from suiro.output import say
    from suiro.report.sources import read
    from suiro.tune.store import folder, is_there

    paths = list(inputs)
    if with_store or not paths:
        if not is_there():
            raise UsageError(f"there is no store in {folder()}: let `suiro tune` measure, or name "
                             "files")  # fmt: skip
        paths.append(folder())
    sources = read(paths)
    if sources.empty:
        for one in sources.left_out:
            say(str(one))
        names = ", ".join(map(str, paths))
        raise UsageError(f"nothing was measured in {names}: let `suiro tune` or `suiro bench "
                         "--json` measure")  # fmt: skip
    return sources


def _report(sources: "Sources") -> "Report":
    import shlex

    from suiro.report.evidence import groups_of
    from suiro.report.measured import Report, origin_of

    return Report(
        groups=groups_of(sources),
        left_out=sources.left_out,
        origins=[origin_of(result) for result in sources.results],
        command=shlex.join(["suiro", *sys.argv[1:]]),
    )


def _check_places(page: Path | None, csv: Path | None, svg: Path | None) -> None:
    """Before anything is computed. --svg makes its folder."""
    from suiro.errors import SuiroError
    from suiro.output import check_place, reason_of
    from suiro.report.figures import check_can_draw

    if page is not None or svg is not None:
        check_can_draw("--svg" if page is None else "--html")
    for option, path in (("--html", page), ("--csv", csv)):
        if path is not None:
            check_place(path, option)
    try:
        if svg is not None:
            svg.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SuiroError(f"--svg {svg}: cannot be made: {reason_of(error)}") from None


def _write_files(found: "Report", page: Path | None, csv: Path | None, svg: Path | None) -> bool:
    """False if one cannot be written, which keeps none of the others from it."""
    from suiro.output import WriteError, say, write_file
    from suiro.report.export import csv_text
    from suiro.report.measured import file_names, pictures, render

    files: list[tuple[str, Path, str]] = []
    if csv is not None:
        files.append(("--csv", csv, csv_text(found)))
    if page is not None or svg is not None:
        drawn = pictures(found)
        if svg is not None:
            names = file_names(drawn).items()
            files += [("--svg", svg / name, picture.svg) for name, picture in names]
        if page is not None:
            files.append(("--html", page, render(found, drawn)))
    whole = True
    for option, path, text in files:
        try:
            write_file(path, text, option)
        except WriteError as error:
            say(str(error))
            whole = False
    return whole


def _print(found: "Report", json: bool) -> None:
    from suiro.output import columns, wrapped
    from suiro.report import words
    from suiro.report.export import json_text
    from suiro.text_table import print_table

    if json:
        print(json_text(found))
        return
    width = columns(sys.stdout)
    told = [words.trace_sentence(groups) for _, groups in found.of_program]
    if found.measured:
        rows = [_cells(group) for group in found.measured]
        sentences = ("where", "from size on")
        print_table(rows, left=("collective",), least=_LEAST, sentences=sentences)
        told.insert(0, _MEANING)
    for text in told:
        print(*wrapped(text, width), sep="\n")


def _cells(group: "Group") -> dict[str, str]:
    from suiro.report import words
    from suiro.report.predicted import agreement
    from suiro.text_table import NOTHING

    off = agreement(group)
    best, mean, sure = words.gain_cells(group)
    return {
        "collective": group.setting.collective,
        "where": f"{group.setting.where}; {group.setting.how}",
        "best": best,
        "mean": mean,
        "sure": sure,
        "model": f"{off.median_error:.0%}" if off else NOTHING,
        "from size on": words.crossovers(group),
    }
