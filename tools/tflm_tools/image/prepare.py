# tflm_tools: runs Prepare of a model on the host: its arena plan and records, as a RomStorage
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.arena import KEEP_ALL
from tflm.tflite.custom_op import KERNEL as CUSTOM_KERNEL
from tflm.tflite.prepare_model import prepare_model

from ..model.graph import Graph
from ..targets import packing_of
from .custom import HostContext, HostResolver, complete
from .prepared_nodes import CachingResolver
from .rom import RomStorage


def prepare_graph(
    model, resolver=None, keep_tensors=False, target=None, packing=None, layouts=None
):
    """Prepare a TfliteModel or Graph; return a RomStorage with plan and records.

    resolver: finds operators, a HostResolver by default. keep_tensors: no tensors share bytes.
    layouts: {operator's number: (constant of prepare.lanes, bytes of lanes at a time or None)}, by
    default model.layouts. packing: {operator's number: constant of prepare.lanes}, which overrides
    them.
    Raises TflmError for what the model or Prepare refuses.
    """
    target_packing = packing_of(target)
    storage = RomStorage(target_packing)
    storage.start_model_allocation(model)
    packed_weights = resolver.packed_weights if isinstance(resolver, CachingResolver) else None
    context = HostContext(storage, target_packing=target_packing, packed_weights=packed_weights)
    if layouts is None and isinstance(model, Graph):
        layouts = model.layouts
    context.set_layouts(layouts or {}, packing)
    custom = prepare_model(
        model, context, resolver or HostResolver(), KEEP_ALL if keep_tensors else 0
    )
    for record in storage.records:
        if record.kernel.startswith(CUSTOM_KERNEL):
            complete(record, record.node, context)
    for node in custom.values():
        node.free()
    return storage
