// Evidence archives for test/vectors/existence.json: everything in one file, and each wrong in one way.
import { concatBytes } from '@recordproof/shared/evidence/digest.ts';
import { writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import type { CaseFiles } from '../../support/existence-cases.ts';
import { flip } from '../../support/existence-world.ts';
import { writeZip } from '../../support/zip.ts';
import type { Expected } from './existence-cases.ts';
import type { Common, NamedCase } from './existence-ots.ts';

const damaged: Expected = ['ERROR', 'EVIDENCE_DAMAGED'];

export function evidenceCases({ proof, whole, stamp, roots }: Common & { readonly whole: CaseFiles }): NamedCase[] {
  const { archive } = proof;
  const { tlogProof } = whole;
  if (tlogProof === undefined) throw new Error('the proof of the entry is missing');
  const packed = { archive: undefined, tlogProof: undefined };
  const evidence = writeEvidenceArchive({ archive, tlogProof });
  const zip = (...names: string[]) =>
    writeZip(names.map(name => ({ name, data: name === 'proof.tlog-proof' ? tlogProof : archive })));
  return [
    ['everything in one file', ['EXISTED'], { ...packed, evidence }],
    [
      'one file with a time stamp in it',
      ['EXISTED'],
      { ...packed, evidence: writeEvidenceArchive({ archive, tlogProof, stamp }), roots, require: 'witness:2,rfc3161' },
    ],
    [
      'one file with the archive alone',
      ['NOT_SHOWN', 'NO_TRUSTED_VOUCHER'],
      { ...packed, evidence: writeEvidenceArchive({ archive }) },
    ],
    [
      'a file of its own comes before the one in the archive',
      ['EXISTED'],
      { evidence: writeEvidenceArchive({ archive, tlogProof: tlogProof.subarray(0, 100) }) },
    ],
    ['entries in another order', damaged, { ...packed, evidence: zip('proof.tlog-proof', 'proof-archive.zip') }],
    ['an entry of another name', damaged, { ...packed, evidence: zip('proof-archive.zip', 'proof.txt') }],
    ['an entry twice', damaged, { ...packed, evidence: zip('proof-archive.zip', 'proof-archive.zip') }],
    ['without the archive', damaged, { ...packed, evidence: zip('proof.tlog-proof') }],
    ['one file that is cut off', damaged, { ...packed, evidence: evidence.subarray(0, -1) }],
    ['one file with a byte behind it', damaged, { ...packed, evidence: concatBytes(evidence, Uint8Array.of(0)) }],
    ['one file with a wrong checksum', damaged, { ...packed, evidence: flip(evidence, 200) }],
  ];
}
