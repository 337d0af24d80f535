// Texts of the desktop app outside its window: notifications and the tray.
import { words } from './words.ts';

export const shellWords = words(
  {
    open: 'Open RecordProof',
    quit: 'Quit',
    message: 'New message',
    friendRequest: 'Friend request',
    friendAccepted: 'Friend request accepted',
    friendShare: 'Files shared with you',
    dropArrived: 'A file arrived',
    files: (from: string, many: number) => `${from}: ${many === 1 ? '1 file' : `${many} files`}`,
    announcement: 'Announcement',
    ticket: 'Ticket updated',
    fileFailed: 'A file was not recorded',
    damage: 'A file is damaged',
    audit: 'Audit alert',
    newDevice: 'Sign-in from a new device',
    from: (who: string, what: string) => `${who}: ${what}`,
  },
  {
    open: '打开 RecordProof',
    quit: '退出',
    message: '新消息',
    friendRequest: '好友请求',
    friendAccepted: '好友请求已通过',
    friendShare: '有人向您分享了文件',
    dropArrived: '收到文件',
    files: (from, many) => `${from}：${many} 个文件`,
    announcement: '公告',
    ticket: '工单有新动态',
    fileFailed: '有文件未能登记',
    damage: '有文件已损坏',
    audit: '审计告警',
    newDevice: '有新设备登录',
    from: (who, what) => `${who}：${what}`,
  },
);
export type ShellTexts = (typeof shellWords)['en'];
