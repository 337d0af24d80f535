// Tells the operators that stored bytes are not what was recorded: an error in the log and a row in the audit chain.
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { type AuditEntry, appendAudit, type Origin } from '../audit/index.ts';
import { type FileRow, findFile } from './queries.ts';
import type { ContentDamaged } from './read-content.ts';

/** Who was reading when it showed. */
export type Reader = { readonly who: AuditEntry['who']; readonly origin: Origin };

export type DamagePorts = { readonly db: Db; readonly clock: Clock; readonly log: Log };

/** Never throws: the transfer has to break off, whatever becomes of the report. */
export async function reportDamage(
  { db, clock, log }: DamagePorts,
  file: FileRow,
  damage: ContentDamaged,
  reader: Reader,
): Promise<void> {
  try {
    const now = await findFile(db, file.tenant_id, file.id);
    if (now?.objects_released_at !== null) return; // deleted meanwhile: its bytes may be gone
    const param = { fileId: file.id, fileHash: file.file_hash, chunk: damage.chunk, path: damage.path };
    log.error({ ...param, tenantId: file.tenant_id, err: damage }, 'stored bytes are damaged');
    await db.transaction().execute(tx =>
      appendAudit(
        tx,
        {
          tenantId: file.tenant_id,
          who: reader.who,
          module: 'files',
          operation: 'integrity-damaged',
          description: `stored bytes of file ${file.file_hash} are damaged`,
          param,
          errorMessage: damage.message,
          origin: reader.origin,
        },
        clock.now(),
      ),
    );
  } catch (error) {
    log.error({ fileId: file.id, err: error }, 'damage of stored bytes could not be reported');
  }
}
