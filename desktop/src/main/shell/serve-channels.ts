// IPC channels of the wire, for the app's own page alone.
import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { openRequestServer } from '../../ipc/serve-request.ts';
import type { Requests } from '../../ipc/table.ts';
import { cancelChannel, requestChannel } from '../../ipc/wire.ts';
import { isOwnPage } from './guards.ts';

export function serveChannels(ipcMain: Pick<IpcMain, 'handle'>, handlers: Requests): void {
  const server = openRequestServer(handlers);
  const handle = (channel: string, work: (input: unknown) => unknown) =>
    ipcMain.handle(channel, async ({ senderFrame }: IpcMainInvokeEvent, input: unknown) => {
      if (!isOwnPage(senderFrame)) throw new Error('the request was not sent by a page of the app');
      return work(input);
    });
  handle(requestChannel, server.request);
  handle(cancelChannel, server.cancel);
}
