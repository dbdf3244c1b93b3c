from .batches import read_batch as read_batch
from .checking import check_batch as check_batch
from .encoding import encode_batch as encode_batch
from .ray import read_dataset as read_dataset
from .reading import (
    ANY as ANY,
)
from .reading import (
    AUTO as AUTO,
)
from .reading import (
    Fields as Fields,
)
from .reading import (
    Reading as Reading,
)
from .schema import (
    checked_schema as checked_schema,
)
from .schema import (
    encoded_schema as encoded_schema,
)
from .schema import (
    result_schema as result_schema,
)
