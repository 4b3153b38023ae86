"""All kinds of models, by name."""
from . import kinds_body, kinds_hybrid, kinds_signal, kinds_time

KINDS = {**kinds_time.KINDS, **kinds_signal.KINDS, **kinds_hybrid.KINDS, **kinds_body.KINDS}
