# Reads OpenTimestamps files with the public Python library. One file in base64 per line of input; per line of output the
# claims as JSON, or the name of what was raised.
import base64
import json
import sys
import warnings

warnings.simplefilter("ignore")
from opentimestamps.core.notary import BitcoinBlockHeaderAttestation, PendingAttestation
from opentimestamps.core.serialize import BytesDeserializationContext, BytesSerializationContext
from opentimestamps.core.timestamp import DetachedTimestampFile


def claim(message, attestation):
    if isinstance(attestation, PendingAttestation):
        return [message.hex(), "PENDING", attestation.uri]
    if isinstance(attestation, BitcoinBlockHeaderAttestation):
        return [message.hex(), "BITCOIN", str(attestation.height)]
    return [message.hex(), "OTHER", attestation.TAG.hex()]


def read(data):
    try:
        stamp = DetachedTimestampFile.deserialize(BytesDeserializationContext(data))
    except Exception as problem:
        return {"error": type(problem).__name__}
    claims = sorted(claim(*pair) for pair in stamp.timestamp.all_attestations())
    context = BytesSerializationContext()
    try:
        stamp.serialize(context)
        written = context.getbytes().hex()
    except Exception:
        written = None
    return {"digest": stamp.file_digest.hex(), "claims": claims, "written": written}


for line in sys.stdin:
    print(json.dumps(read(base64.b64decode(line))), flush=True)
