// Notifications: which events of the stream become one, and their texts. Text of other people is in the body only, which the
// system shows as plain text.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { ShellTexts } from '@recordproof/shared/words/shell.ts';

export const noticeKinds = ['messages', 'friends', 'gifts', 'announcements', 'tickets', 'trouble'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

export type NoticeSettings = {
  readonly isOn: boolean;
  /** Muted kinds: a kind that is added later is not muted. */
  readonly silent: readonly NoticeKind[];
};

export type Notice = { readonly title: string; readonly body: string };

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text);

/** Undefined for other events and muted kinds. */
export function toNotice(event: ServerEvent, texts: ShellTexts, { isOn, silent }: NoticeSettings): Notice | undefined {
  const notice = (kind: NoticeKind, title: string, body: string): Notice | undefined =>
    isOn && !silent.includes(kind) ? { title, body: cut(body) } : undefined;
  switch (event.type) {
    case 'message-received':
      return notice('messages', texts.message, texts.from(event.payload.senderName, event.payload.preview));
    case 'friend-request':
      return notice('friends', texts.friendRequest, event.payload.requesterName);
    case 'friend-accepted':
      return notice('friends', texts.friendAccepted, event.payload.friendName);
    case 'friend-share':
      return notice('gifts', texts.friendShare, texts.files(event.payload.sharerName, event.payload.fileCount));
    case 'drop-arrived':
      return notice(
        'gifts',
        texts.dropArrived,
        texts.from(toShownName(event.payload.title), toShownName(event.payload.fileName)),
      );
    case 'announcement-published':
      return notice('announcements', texts.announcement, event.payload.title);
    case 'ticket-updated':
      return notice('tickets', texts.ticket, event.payload.preview ?? event.payload.ticketNo);
    case 'file-failed':
      return notice('trouble', texts.fileFailed, texts.from(toShownName(event.payload.fileName), event.payload.reason));
    case 'INTEGRITY_ALERT':
      return notice('trouble', texts.damage, toShownName(event.payload.fileName));
    case 'new-device':
      return notice('trouble', texts.newDevice, texts.from(event.payload.device, event.payload.address));
    case 'audit-alert':
      return notice('trouble', texts.audit, event.payload.detail);
    default:
      return undefined;
  }
}
