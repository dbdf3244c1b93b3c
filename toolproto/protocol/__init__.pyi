from .deciding.decisions import Topic as Topic
from .deciding.pins import Pin as Pin
from .decoding.patterns import Pattern as Pattern
from .describe.base import Style as Style
from .describe.description import (
    Description as Description,
)
from .describe.description import (
    Presentation as Presentation,
)
from .describe.description import (
    describe_tools as describe_tools,
)
from .describe.lookup import description_tool as description_tool
from .describe.requests import example_request as example_request
from .describe.samples import example_call as example_call
from .describe.styles import (
    get_style as get_style,
)
from .describe.styles import (
    list_styles as list_styles,
)
from .describe.tokens import estimate_tokens as estimate_tokens
from .errors import (
    McpError as McpError,
)
from .errors import (
    SessionConflict as SessionConflict,
)
from .errors import (
    StoreError as StoreError,
)
from .grammar.accepting import departure as departure
from .grammar.constraint import Constraint as Constraint
from .grammar.ir import Grammar as Grammar
from .grammar.renderings import (
    RENDERINGS as RENDERINGS,
)
from .grammar.renderings import (
    Rendering as Rendering,
)
from .grammar.renderings import (
    render as render,
)
from .grammar.sampling import sample_reply as sample_reply
from .guard.neutralise import neutraliser as neutraliser
from .guard.nonce import (
    new_nonce as new_nonce,
)
from .guard.nonce import (
    with_nonce as with_nonce,
)
from .messages import IdFactory as IdFactory
from .paradigms.base import NO_TOOLS as NO_TOOLS
from .paradigms.json_strict import JsonStrict as JsonStrict
from .paradigms.results import tagged_result as tagged_result
from .paradigms.teaching import Teaching as Teaching
from .paradigms.xml_tag import XmlTag as XmlTag
from .schemas.tame import tame as tame
from .secrets.redactor import Redactor as Redactor
from .tools.define import Risk as Risk
from .tools.spec import spec_from_openai as spec_from_openai
