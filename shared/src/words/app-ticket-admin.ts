// App texts: tickets, for administrators.
import { words } from './words.ts';

export const ticketAdminTexts = words(
  {
    own: 'Yours',
    everyone: 'Everyone’s',
    from: (name: string) => `from ${name}`,
    none: 'No tickets yet',
    noneText: 'What people ask shows here, the newest first.',
    asksOther: 'Waits for an answer',
    take: 'Assign to me',
    ask: 'Ask whether it is solved',
    solved: 'Mark as solved',
    goOn: 'Continue work',
    close: 'Close',
    internal: 'For administrators only',
    internalHint: 'The creator of the ticket does not see this reply, and gets no notification of it.',
  },
  {
    own: '我的',
    everyone: '所有人的',
    from: name => `来自 ${name}`,
    none: '暂无工单',
    noneText: '大家的提问会显示在这里，最新的在最前。',
    asksOther: '等待对方答复',
    take: '分配给我',
    ask: '询问是否已解决',
    solved: '标为已解决',
    goOn: '继续处理',
    close: '关闭',
    internal: '仅管理员可见',
    internalHint: '工单创建者看不到此答复，也不会收到通知。',
  },
);
