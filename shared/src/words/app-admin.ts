// App texts: screens for administrators and monitors.
import { adminPeopleWords } from './app-admin-people.ts';
import { adminStateWords } from './app-admin-state.ts';
import { adminTenantWords } from './app-admin-tenants.ts';
import { adminTrailWords } from './app-admin-trail.ts';
import { words } from './words.ts';

export const adminWords = words(
  {
    parts: 'Administration navigation',
    health: 'Health',
    storage: 'Storage',
    tenants: 'Tenants',
    users: 'Users',
    services: 'Service accounts',
    invitations: 'Invitations',
    alerts: 'Alerts',
    audit: 'Audit',
    terminal: 'In a terminal',
    reason: 'Reason',
    reasonHint: 'Optional. It goes to the audit log.',
    page: (at: number, of: number) => `Page ${at} of ${of}`,
    previous: 'Previous',
    next: 'Next',
    all: 'All',
    ...adminStateWords.en,
    ...adminPeopleWords.en,
    ...adminTenantWords.en,
    ...adminTrailWords.en,
  },
  {
    parts: '管理导航',
    health: '运行状况',
    storage: '存储',
    tenants: '租户',
    users: '用户',
    services: '服务账户',
    invitations: '邀请',
    alerts: '告警',
    audit: '审计',
    terminal: '在终端中',
    reason: '原因',
    reasonHint: '可选，会写入审计日志。',
    page: (at, of) => `第 ${at} 页，共 ${of} 页`,
    previous: '上一页',
    next: '下一页',
    all: '全部',
    ...adminStateWords.zh,
    ...adminPeopleWords.zh,
    ...adminTenantWords.zh,
    ...adminTrailWords.zh,
  },
);
