from .capture_sources import Recorded as Recorded
from .capturing import capture as capture
from .cutting import chunkings as chunkings
from .explain.as_json import as_json as as_json
from .explain.batches import (
    explain_batch as explain_batch,
)
from .explain.batches import (
    explained_schema as explained_schema,
)
from .explain.reading import explain_reply as explain_reply
from .explain.streaming import in_chunks as in_chunks
from .explain.values import (
    Explanation as Explanation,
)
from .explain.values import (
    Finding as Finding,
)
from .explain.values import (
    Part as Part,
)
from .explain.values import (
    PartKind as PartKind,
)
from .fixtures.fixture import Fixture as Fixture
from .fixtures.loading import (
    load_fixture as load_fixture,
)
from .fixtures.loading import (
    load_fixtures as load_fixtures,
)
from .fixtures.writing import write_fixture as write_fixture
from .laws import (
    LAWS as LAWS,
)
from .laws import (
    LawBroken as LawBroken,
)
from .offers import STANDARD_OFFER as STANDARD_OFFER
from .paradigm_laws import (
    ParadigmLaws as ParadigmLaws,
)
from .paradigm_laws import (
    broken_laws as broken_laws,
)
from .places import (
    TEMPLATES as TEMPLATES,
)
from .places import (
    JudgedPlace as JudgedPlace,
)
from .places import (
    PlaceTemplate as PlaceTemplate,
)
from .places import (
    Placing as Placing,
)
from .places import (
    draw_placing as draw_placing,
)
from .places import (
    judge_place as judge_place,
)
from .probe.arms import Arm as Arm
from .probe.budget import Budget as Budget
from .probe.cases import (
    Case as Case,
)
from .probe.cases import (
    CaseKind as CaseKind,
)
from .probe.cases import (
    load_cases as load_cases,
)
from .probe.plan import (
    ProbePlan as ProbePlan,
)
from .probe.plan import (
    plan_probe as plan_probe,
)
from .probe.report import ProbeReport as ProbeReport
from .probe.runner import (
    Progress as Progress,
)
from .probe.runner import (
    probe_model as probe_model,
)
from .replaying import (
    compare as compare,
)
from .replaying import (
    fixtures_in as fixtures_in,
)
from .replaying import (
    outcomes as outcomes,
)
from .snapshot_format import ReadingSnapshot as ReadingSnapshot
