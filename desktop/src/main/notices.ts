// Which events a person is told of while the window is not before them, and in which words. What others wrote stands in
// the body only, and the system shows it as text.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';

export type Notice = { readonly title: string; readonly body: string };

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text);

export function toNotice(event: ServerEvent): Notice | undefined {
  switch (event.type) {
    case 'message-received':
      return { title: 'New message', body: cut(`${event.payload.senderName}: ${event.payload.preview}`) };
    case 'friend-request':
      return { title: 'Friend request', body: cut(event.payload.requesterName) };
    case 'friend-accepted':
      return { title: 'Friend request accepted', body: cut(event.payload.friendName) };
    case 'friend-share':
      return { title: 'Files shared with you', body: cut(`${event.payload.sharerName}: ${event.payload.fileCount}`) };
    case 'announcement-published':
      return { title: 'Announcement', body: cut(event.payload.title) };
    case 'file-failed':
      return { title: 'A file was not recorded', body: cut(`${event.payload.fileName}: ${event.payload.reason}`) };
    case 'INTEGRITY_ALERT':
      return { title: 'A file is damaged', body: cut(event.payload.fileName) };
    default:
      return undefined;
  }
}
