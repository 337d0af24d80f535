// App texts: notification settings.
import { words } from './words.ts';

export const noticeWords = words(
  {
    title: 'Notifications',
    isOn: 'Tell me while this window is not in front',
    refused: 'This browser blocks notifications. Allow them for this page in its settings, then turn them on here.',
    about: 'Notify me about',
    kinds: {
      messages: 'Messages',
      friends: 'Friend requests',
      gifts: 'Files from friends',
      announcements: 'Announcements',
      tickets: 'Answers to my tickets',
      trouble: 'Damaged files, and files that were not recorded',
    },
  },
  {
    title: '通知',
    isOn: '窗口不在前台时通知我',
    refused: '此浏览器阻止了通知。请在浏览器设置中允许此页面显示通知，然后在这里开启。',
    about: '通知内容',
    kinds: {
      messages: '消息',
      friends: '好友请求',
      gifts: '好友分享的文件',
      announcements: '公告',
      tickets: '工单的答复',
      trouble: '已损坏或未能登记的文件',
    },
  },
);
