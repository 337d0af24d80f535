// Answers the channels of the table, to the app's own page alone.
import type { IpcMain } from 'electron';
import { answerRequest } from '../../ipc/answer.ts';
import { requestChannel, requestNames } from '../../ipc/names.ts';
import type { Handlers } from '../../ipc/table.ts';
import { isOwnPage } from './guards.ts';

export function serveTable(ipcMain: Pick<IpcMain, 'handle'>, handlers: Handlers): void {
  for (const name of requestNames) {
    ipcMain.handle(requestChannel(name), async (event, input: unknown) => {
      if (!isOwnPage(event.senderFrame)) throw new Error('only the app itself is answered');
      return answerRequest(handlers, name, input);
    });
  }
}
