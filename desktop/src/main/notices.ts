// Which events a person is told of while the window is not before them, and in which words. What others wrote stands in
// the body only, and the system shows it as text.

import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { ShellSay } from '@recordproof/shared/words/shell.ts';

export type Notice = { readonly title: string; readonly body: string };

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text);

export function toNotice(event: ServerEvent, say: ShellSay): Notice | undefined {
  const notice = (title: string, body: string): Notice => ({ title, body: cut(body) });
  switch (event.type) {
    case 'message-received':
      return notice(say.message, say.from(event.payload.senderName, event.payload.preview));
    case 'friend-request':
      return notice(say.friendRequest, event.payload.requesterName);
    case 'friend-accepted':
      return notice(say.friendAccepted, event.payload.friendName);
    case 'friend-share':
      return notice(say.friendShare, say.files(event.payload.sharerName, event.payload.fileCount));
    case 'announcement-published':
      return notice(say.announcement, event.payload.title);
    case 'ticket-updated':
      return notice(say.ticket, event.payload.preview ?? event.payload.ticketNo);
    case 'file-failed':
      return notice(say.fileFailed, say.from(toShownName(event.payload.fileName), event.payload.reason));
    case 'INTEGRITY_ALERT':
      return notice(say.damage, toShownName(event.payload.fileName));
    case 'audit-alert':
      return notice(say.audit, event.payload.detail);
    default:
      return undefined;
  }
}
