from .app import make_web_app as make_web_app
from .config import WebConfig as WebConfig
