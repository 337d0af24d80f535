// The notes about unfinished uploads on this machine, found by the upload's id.
import { type ListedUpload, listUploadJournals, openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { toFolders } from '../platform/transfers.ts';

export async function listLocal(context: CommandContext): Promise<ListedUpload[]> {
  const { server } = await context.settings();
  return listUploadJournals(toFolders().uploads).filter(found => found.server === server.value);
}

export const findLocal = async (context: CommandContext, clientId: string): Promise<ListedUpload | undefined> =>
  (await listLocal(context)).find(({ entry }) => entry.plan.clientId === clientId);

export async function forgetLocal({ path, server, account }: ListedUpload): Promise<void> {
  await using journal = openUploadJournal(toFolders().uploads, { path, server, account });
  journal.remove();
}
