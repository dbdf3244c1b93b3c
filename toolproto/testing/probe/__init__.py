"""Which paradigm a model follows best: asking it, and reporting what it got right.

>>> report = probe(endpoint, plan_probe("my-model"))  # doctest: +SKIP
>>> report.best.arm.name  # doctest: +SKIP
'json_strict/examples'
"""

from __future__ import annotations

from .arms import ARRAY, BASELINE, BASELINES, Arm
from .baseline import Baseline
from .budget import Budget
from .cases import Case, CaseKind, DueCall, load_cases
from .intervals import Mean, Share
from .plan import PARADIGMS, ProbePlan, plan_probe
from .report import ProbeReport, ReportRow, Scored, Stopped
from .runner import Progress, probe_model
from .score import Marks

__all__ = [
    "ARRAY",
    "BASELINE",
    "BASELINES",
    "PARADIGMS",
    "Arm",
    "Baseline",
    "Budget",
    "Case",
    "CaseKind",
    "DueCall",
    "Marks",
    "Mean",
    "ProbePlan",
    "ProbeReport",
    "Progress",
    "ReportRow",
    "Scored",
    "Share",
    "Stopped",
    "load_cases",
    "plan_probe",
    "probe_model",
]
