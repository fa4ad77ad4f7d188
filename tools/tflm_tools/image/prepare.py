# tflm_tools: image: Prepare of a model on the host: its plan and records, as a RomStorage
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.custom_op import KERNEL as CUSTOM_KERNEL
from tflm.tflite.prepare_model import prepare_model

from ..targets import packing_of
from .custom import HostResolver, RecordingContext, complete
from .rom import RomStorage


def prepare_graph(model, resolver=None, keep_tensors=False, target=None, packing=None):
    """Prepare a TfliteModel or Graph: a RomStorage with plan and records.

    packing: {operator's number: how its weights are stored}, before what model.stored says.
    """
    storage = RomStorage()
    storage.start_model_allocation(model)
    context = RecordingContext(storage, target_packing=packing_of(target))
    context.store(getattr(model, "stored", {}), packing)
    custom = prepare_model(model, context, resolver or HostResolver(), keep_tensors)
    for record in storage.records:
        if record.kernel.startswith(CUSTOM_KERNEL):
            complete(record, record.node, context)
    for node in custom.values():
        node.free()
    return storage
