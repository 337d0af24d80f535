// Archives of many proofs in one call; an unavailable one fails alone, with the time to retry after.
import { toBulkAnswer } from '../../platform/http/bulk-answer.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { writeArchive } from './export-proof.ts';
import type { Proven } from './proven-queries.ts';
import type { Proving } from './signing.ts';

/** `find` throws for files that the caller may not see. */
export const exportMany = (
  server: Proving,
  request: Pick<Request, 'noteFailure'>,
  ids: readonly string[],
  find: (id: string) => Promise<Proven>,
): PlainAnswer => toBulkAnswer(request, ids, async id => writeArchive(server, await find(id)));
