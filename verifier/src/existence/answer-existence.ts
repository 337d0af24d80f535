// The existence check within `verify`: since when the bytes have existed, and by whose statement. Made if there are
// vouchers next to the file, or if the caller names trusted parties. It does not affect the verdict.
import { nodePlatform } from '../node/node-platform.ts';
import { readLazily } from '../node/read-inputs.ts';
import type { verifyFiles } from '../node/verify-files.ts';
import type { VerificationOptions } from '../options.ts';
import type { ExistenceReport } from './existence-report.ts';
import { judgeExistence } from './judge-existence.ts';
import { readEvidence, readTrustFiles, withSignatures } from './read-evidence.ts';

export async function answerExistence(
  { file, proof, trust, maxFileBytes }: VerificationOptions,
  { local, archive }: Pick<Awaited<ReturnType<typeof verifyFiles>>, 'local' | 'archive'>,
  stdin: AsyncIterable<Uint8Array>,
): Promise<ExistenceReport | undefined> {
  const { tlogProof, stamp, ots, isEvidenceDamaged } = await readEvidence({ file, proof });
  if (trust === undefined && [tlogProof, stamp, ots].every(voucher => voucher === undefined)) return undefined;
  const input = {
    ...{ tlogProof, stamp, ots, archive, local, isEvidenceDamaged },
    original: file === '-' ? stdin : readLazily(file),
    maxOriginalBytes: maxFileBytes,
    ...(await readTrustFiles(trust ?? { required: [] })),
  };
  return judgeExistence(input, withSignatures(nodePlatform));
}
