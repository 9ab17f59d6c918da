# SPDX-License-Identifier: BSD-3-Clause
"""The page, the pictures and the tables of `suiro report`: whole, without outside resources, and
right in a browser where there is one."""

import csv
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_up import cell, result, write_all
from typer.testing import CliRunner

from suiro.cli.main import app
from suiro.errors import SuiroError, UsageError
from suiro.report.export import COLUMNS

_VOID = {"meta", "br"}
_CHECK = """<script>
const wide = document.documentElement.scrollWidth > innerWidth;
const flat = [...document.querySelectorAll("svg")].filter(one => {
  const box = one.getBoundingClientRect();
  const texts = [...one.querySelectorAll("text")];
  const scale = box.width / one.viewBox.baseVal.width;
  const small = texts.some(text => scale * parseFloat(getComputedStyle(text).fontSize) < 11.9);
  return box.width < 100 || box.height < 30 || small;
});
document.body.dataset.seen = wide ? "too wide" : flat.length + " pictures are wrong";
</script>"""


class Page(HTMLParser):
    """Checks that what is opened is closed, and gathers what is referred to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: set[str] = set()
        self.references: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in _VOID:
            self.open.append(tag)
        self._note(attributes)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._note(attributes)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def _note(self, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.ids.add(value)
            if name in ("href", "xlink:href", "src") and value:
                self.references.add(value)
            self.references |= set(re.findall(r"url\((.*?)\)", value or ""))


def report(*arguments: str | Path, code: int = 0, store: Path | None = None) -> str:
    environment = {"SUIRO_STORE": str(store)} if store else {}
    result = CliRunner().invoke(app, ["report", *map(str, arguments)], env=environment)
    if isinstance(result.exception, SuiroError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page, pictures and a table from one input of each kind."""
    folder = tmp_path_factory.mktemp("report")
    inputs = folder / "inputs"
    inputs.mkdir()
    write_all(inputs)
    with (inputs / "trace.jsonl").open("a") as trace:
        trace.write('{"t": <b>')
    page, table, pictures = folder / "p.html", folder / "t.csv", folder / "pictures"
    said = report(inputs, "--html", page, "--csv", table, "--svg", pictures, code=1)
    assert "1000 B native, 64 KiB chain" in said and f"report: {page}" in said.replace("\n", "")
    return folder


def test_the_page_is_whole_and_offline(written: Path) -> None:
    text = (written / "p.html").read_text()
    page = Page(text)
    assert page.open == []
    assert page.references and all(one.startswith("#") for one in page.references)
    assert {one[1:] for one in page.references} <= page.ids
    assert "@import" not in text and "<script" not in text
    headings = ("Predicted against measured", "How sure it is", "What programs called", "Left out")
    for said in (*headings, "bcast", "allreduce", "trace.jsonl:3", "suiro bench &lt;x&gt;"):
        assert said in text, said
    assert '{"t": <b>' not in text


def test_text_is_legible_on_a_telephone(written: Path) -> None:
    """Pictures are as wide as their smallest text needs, in boxes that scroll."""
    figures = re.findall(r"<figure>(.*?)</figure>", (written / "p.html").read_text(), re.DOTALL)
    assert figures
    for figure in figures:
        assert figure.startswith('<div class="wide"><svg style="--legible: ')
        legible = re.search(r"--legible: (\d+)px", figure)
        width = re.search(r'viewBox="0 0 ([\d.]+) ', figure)
        smallest = min(float(size) for size in re.findall(r"font(?:-size)?: ([\d.]+)px", figure))
        assert legible and width and smallest * float(legible[1]) / float(width[1]) >= 11.9


def test_pictures_are_files_of_their_own(written: Path) -> None:
    names = {path.name for path in (written / "pictures").iterdir()}
    assert {"overview.svg", "gain-bcast.svg", "gain-allreduce.svg", "interval-bcast.svg",
            "predicted.svg"} <= names  # fmt: skip
    assert "time-bcast-4x4-hol-Open-MPI-4.1.4-tune.svg" in names
    assert any(name.startswith("spent-") for name in names)
    for path in (written / "pictures").iterdir():
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    gains = (written / "pictures" / "gain-bcast.svg").read_text()
    assert all(f">{text}<" in gains for text in ("=", "2.00", "4.00", "64 KiB", "1 MiB", "chain"))


def test_names_are_shown_as_they_are(tmp_path: Path) -> None:
    """Files come from others."""
    strange = "../$\\x$<b>"
    cells = [cell(64 << 10, "native", 1, 1), cell(64 << 10, strange, 0.5, 1)]
    cells += [cell(128 << 10, "native", 1, 1), cell(128 << 10, strange, 0.5, 1)]
    named = result(*(one.model_copy(update={"collective": strange}) for one in cells), lab=strange)
    (tmp_path / "r.json").write_text(named.model_dump_json())
    pictures = tmp_path / "pictures"
    report(tmp_path / "r.json", "--html", tmp_path / "p.html", "--svg", pictures)
    page = Page((tmp_path / "p.html").read_text())
    assert page.open == [] and "b" not in page.tags
    assert {one[1:] for one in page.references} <= page.ids
    assert len(list(pictures.iterdir())) == 2
    assert not list(tmp_path.glob("*.svg"))


def test_the_table_has_every_time(written: Path) -> None:
    with (written / "t.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert tuple(lines[0]) == COLUMNS
    assert [line["source"] for line in lines] == 7 * ["tune"] + 2 * ["bench"] + ["trace"]
    (chosen,) = (
        line for line in lines if line["bytes"] == "65536" and line["algorithm"] == "chain"
    )
    assert chosen["chosen"] == "True" and float(chosen["gain"]) == pytest.approx(2)
    assert float(chosen["low_s"]) <= float(chosen["median_s"]) <= float(chosen["high_s"])


def test_one_document(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written)
    document = json.loads(report(written / "inputs", "--json", code=1))
    assert [group["setting"]["collective"] for group in document["groups"]] == [
        "bcast", "allreduce", "bcast",
    ]  # fmt: skip
    assert document["left_out"][0]["line"] == 3
    assert document["groups"][0]["crossovers"][1] == {"from_bytes": 65536, "algorithm": "chain"}
    assert not (written / "report.html").exists()  # nobody asked for the page


def test_the_store_is_what_is_read_by_default(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "store" / "lab-4x4-hol"
    store.mkdir(parents=True)
    shutil.copy(written / "inputs" / "store.json", store)
    report(store=store.parent)
    assert "bcast" in (tmp_path / "report.html").read_text()
    trace = written / "inputs" / "trace.jsonl"
    document = json.loads(report(trace, "--store", "--json", store=store.parent, code=1))
    assert len(document["groups"]) == 2


def test_what_cannot_work_is_said_in_a_line(written: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no store in"):
        report(store=tmp_path / "nowhere")
    with pytest.raises(UsageError, match="nothing was measured in"):
        report(tmp_path)
    with pytest.raises(UsageError, match="no such file"):
        report(tmp_path / "x")
    with pytest.raises(UsageError, match=r"--html .*: there is no folder"):
        report(written / "inputs", "--html", tmp_path / "nowhere" / "p.html")
    with pytest.raises(UsageError, match="no lab spec"):
        report(written / "inputs", "--json", "--lab", "nowhere")


@pytest.mark.skipif(shutil.which("chromium") is None, reason="looks at the page with chromium")
def test_a_browser_shows_it(written: Path, tmp_path: Path) -> None:
    """In a narrow window, where most would go wrong."""
    page = tmp_path / "page.html"
    text = (written / "p.html").read_text()
    page.write_text(text.replace("</body>", f"{_CHECK}</body>"))
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
         "--window-size=360,800", f"--user-data-dir={tmp_path}/profile", page.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert 'data-seen="0 pictures are wrong"' in done.stdout
