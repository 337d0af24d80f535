// Proof of a file in many chunks, at the last leaf of a tree of 100.
import { proofOf } from '../../support/proofs.ts';
import { plainContent } from './case.ts';

export const manyChunks = await proofOf({ content: plainContent, chunkSize: 10, leafIndex: 99, treeSize: 100 });
