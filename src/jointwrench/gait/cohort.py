"""`GaitCohort`: reports of several people under several conditions, as a table and as arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks.arguments import check_choice, check_instance, check_name
from ..checks.display import Grid, NotebookTable
from ..checks.problems import import_extra
from .clinical import ClinicalCurves
from .report import GaitReport

EACH = ("person", "cycle")


@dataclass(frozen=True, eq=False, repr=False)
class GaitCohort(NotebookTable):
    """Reports of people under conditions: before and after, with and without.

    Parameters
    ==========

    reports : mapping of str to mapping of str to GaitReport
        By condition, then by person: ``{"before": {"P01": report}, "after": {"P01": report}}``.

    Raises
    ======

    TypeError, ValueError
        If ``reports`` is not such a mapping, is empty, or has a condition without people.

    See Also
    ========

    gait_report : Makes reports.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> def report(peak):
    ...     return jw.gait.GaitReport((), {"knee_left_flexion": np.full((3, 101), peak)}, 70.0)
    >>> cohort = jw.gait.GaitCohort(
    ...     {"before": {"P01": report(55.0), "P02": report(60.0)}, "after": {"P01": report(62.0)}}
    ... )
    >>> cohort
    GaitCohort(before: 2 people, after: 1 person)
    >>> {name: curves.shape for name, curves in cohort.curves("knee_left_flexion").items()}
    {'before': (2, 101), 'after': (1, 101)}
    """

    reports: Mapping[str, Mapping[str, GaitReport]]

    def __post_init__(self) -> None:
        expected = "a mapping of conditions to mappings of people to GaitReports"
        for condition, people in check_instance("reports", self.reports, Mapping, expected).items():
            check_name("reports", condition)
            for person, report in check_instance("reports", people, Mapping, expected).items():
                check_name("reports", person)
                check_instance("reports", report, GaitReport, expected, "Use gait_report(...).")
        if not self.reports or not all(self.reports.values()):
            raise ValueError("`reports` must have a condition, and each condition a person.")

    def __repr__(self) -> str:
        sizes = ((name, len(own)) for name, own in self.reports.items())
        words = (f"{name}: {n} {'person' if n == 1 else 'people'}" for name, n in sizes)
        return f"GaitCohort({', '.join(words)})"

    def _grid(self) -> Grid:
        rows = [
            (condition, person, *(str(len(report.of_side(side))) for side in ("left", "right")))
            for condition, people in self.reports.items()
            for person, report in people.items()
        ]
        return Grid(repr(self), ("", "person", "left cycles", "right cycles"), rows)

    def to_dataframe(self) -> Any:
        """Return all curves of all cycles as one tidy pandas.DataFrame (extra ``data``).

        The columns ``condition`` and ``person`` precede those of `GaitReport.to_dataframe`.

        Raises
        ======

        ImportError
            If pandas is not installed.

        See Also
        ========

        GaitReport.to_dataframe : Of one person.

        Examples
        ========

        >>> import jointwrench as jw
        >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
        >>> frame = jw.gait.GaitCohort({"free": {"P01": report}}).to_dataframe()
        >>> list(frame.columns[:5])
        ['condition', 'person', 'trial', 'side', 'cycle']
        """
        pandas = import_extra("pandas", "to_dataframe()", "data", ", or curves()")
        parts = [
            report.to_dataframe(condition=condition, person=person)
            for condition, people in self.reports.items()
            for person, report in people.items()
        ]
        return pandas.concat(parts, ignore_index=True)

    def curves(self, name: str, each: str = "person") -> dict[str, np.ndarray]:
        """Return a curve of all people as spm1d takes it: shape (J, 101) for each condition.

        ``each`` row is the mean of a "person", as tests of independent rows need
        (``spm1d.stats.ttest2(curves["before"], curves["after"])``, ``ttest_paired``), or a "cycle".
        Rows are in the order of the reports; cycles and people without the curve, such as cycles
        beside a plate, are omitted.  ``name`` is as for `GaitReport.mean`.

        Raises
        ======

        KeyError, ValueError
            If a report has no such curve, ``each`` is neither, or nobody has the curve under a
            condition.

        See Also
        ========

        GaitReport.mean : Of one person.

        References
        ==========

        .. [1] T. C. Pataky, One-dimensional statistical parametric mapping in Python, Computer
           Methods in Biomechanics and Biomedical Engineering 15 (2012), 295-301.

        Examples
        ========

        >>> import jointwrench as jw
        >>> report = jw.gait.gait_report(jw.recordings.read_c3d(jw.example_data("two_plates.c3d")))
        >>> cohort = jw.gait.GaitCohort({"free": {"P01": report}})
        >>> cohort.curves("knee_left_extension_moment", each="cycle")["free"].shape
        (1, 101)
        """
        check_choice("each", each, EACH)
        found = {}
        for condition, people in self.reports.items():
            own = [ClinicalCurves(report.curves, None)[name] for report in people.values()]
            means = [report.mean(name)[None] for report in people.values()]
            whole = np.concatenate(means if each == "person" else own)
            found[condition] = whole[np.isfinite(whole).all(axis=1)]
            if not len(found[condition]):
                raise ValueError(
                    f"`name` must be a curve that somebody has under {condition!r}, got {name!r}. "
                    "Moments and powers need whole steps on plates."
                )
        return found
