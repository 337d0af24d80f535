// The archives of many proofs in one call; one that is not there yet is refused alone, with the time until it may be.
import { toBulkAnswer } from '../../platform/http/bulk-answer.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { FileRow } from '../files/index.ts';
import { writeArchive } from './export-proof.ts';
import type { Proving } from './signing.ts';

/** `find` throws for files that whoever calls may not see. */
export const exportMany = (
  server: Proving,
  request: Pick<Request, 'noteFailure'>,
  ids: readonly string[],
  find: (id: string) => Promise<FileRow>,
): PlainAnswer => toBulkAnswer(request, ids, async id => writeArchive(server, await find(id)));
