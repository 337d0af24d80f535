// Mails of the server.
import { words } from './words.ts';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

export const mailWords = words(
  {
    code: {
      subject: 'Your RecordProof code',
      register: 'Your code to open your account:',
      reset: 'Your code to set a new password:',
      modify: 'Your code to confirm this address:',
      closing: 'It works for three minutes. If you did not ask for it, you can ignore this mail.',
      knownSubject: 'You already have a RecordProof account',
      known: lines(
        'Someone tried to use this address for a RecordProof account, but it already has one.',
        '',
        'If it was you: sign in, or reset the password.',
      ),
    },
    address: {
      subject: 'Your RecordProof address was changed',
      text: lines(
        'The RecordProof account that used this address now uses another one.',
        '',
        'If this was not you: tell the administrators of your server at once.',
      ),
    },
    device: {
      subject: 'New sign-in to your RecordProof account',
      unknown: 'unknown',
      text: (device: string, ip: string, at: string) =>
        lines(
          'Your RecordProof account was signed in to from a device or an address that is new to it.',
          '',
          `Device:  ${device}`,
          `Address: ${ip}`,
          `Time:    ${at}`,
          '',
          'If this was not you: change your password, which ends every other session.',
        ),
    },
    factors: {
      subject: 'Your RecordProof sign-in was changed',
      advice: 'If this was not you: change your password, and tell the administrators of your server.',
      changes: {
        'totp-added': 'An app for one-time codes was set up for your RecordProof account.',
        'totp-removed': 'The app for one-time codes was removed from your RecordProof account.',
        'passkey-added': 'A passkey was added to your RecordProof account.',
        'passkey-removed': 'A passkey was removed from your RecordProof account.',
        'passkey-copied':
          'A passkey of your RecordProof account was used with a counter that is too low: there may be a copy of it. It was not accepted. Remove this passkey.',
        'recovery-codes-renewed':
          'New recovery codes were made for your RecordProof account. Older ones no longer work.',
        'recovery-code-used': 'A recovery code of your RecordProof account was used.',
        reset: 'An administrator removed the second factors of your RecordProof account. Your sessions have ended.',
      },
    },
    token: {
      subject: (name: string) => `The API token "${name}" expires soon`,
      text: (name: string, owner: string, until: string) =>
        lines(
          `The API token "${name}" of the RecordProof account ${owner} expires on ${until}.`,
          '',
          'Programs that use it are rejected from then on. Create a new one and replace it:',
          '',
          'recordproof tokens create',
          '',
          'If it is no longer used, revoke it: recordproof tokens revoke.',
        ),
    },
    invitation: {
      subject: 'Your RecordProof invitation',
      text: (link: string, role: string, until: string) =>
        lines(
          `You are invited to open a RecordProof account with the role "${role}".`,
          '',
          'Open this link and choose a user name and a password:',
          '',
          link,
          '',
          `It works once, until ${until}. Do not pass it on. On the command line:`,
          '',
          'recordproof register --invitation <the link>',
          '',
          'If you do not know who invited you, ignore this mail.',
        ),
    },
    share: {
      subject: (name: string) => `${name} shares files with you`,
      subjectOf: (name: string, title: string) => `${name} shares: ${title}`,
      lead: (name: string, until: string) => `${name} shares files with you by this link, until ${until}:`,
      title: (title: string) => `Title: ${title}`,
      writes: (name: string) => `${name} writes:`,
      password: 'The files have a password. Ask for it by another way than mail.',
      account: 'You need an account of this server to open it.',
      closing: 'If you do not know who shares with you, ignore this mail.',
    },
    arrivals: {
      subject: (files: number, title: string) => `${files === 1 ? 'A file' : `${files} files`} arrived: ${title}`,
      lead: (files: number, title: string) =>
        `${files === 1 ? 'A file' : `${files} files`} arrived through your drop link "${title}"`,
      folder: (path: string) => `, in the folder ${path}`,
      end: '.',
      text: 'Each file is recorded, and its sender has a signed receipt.',
    },
    health: {
      alerts: (alerts: number) => `${alerts} unresolved alert${alerts === 1 ? '' : 's'}`,
      changes: (many: number) => `${many} changes`,
      changed: (address: string) => `Changed on ${address}:`,
      normal: 'normal',
      before: (state: string) => `(before: ${state})`,
      allNormal: 'Everything is normal now.',
      notNormal: 'Not normal now:',
      details: 'Details: recordproof admin health; recordproof admin integrity alerts; recordproof-server doctor.',
    },
    signInLink: {
      subject: 'RecordProof: sign-in link of an administrator',
      created: (username: string) => `A one-time sign-in link for ${username} was created on the server.`,
      used: (username: string, ip: string) => `${username} signed in with a one-time link, from ${ip}.`,
      closing: 'If no administrator of this server did this, an unauthorized person controls its machine.',
    },
  },
  {
    code: {
      subject: '您的 RecordProof 验证码',
      register: '用于注册账户的验证码：',
      reset: '用于设置新密码的验证码：',
      modify: '用于确认此邮箱地址的验证码：',
      closing: '验证码三分钟内有效。如果不是您本人申请，请忽略此邮件。',
      knownSubject: '您已有 RecordProof 账户',
      known: lines(
        '有人想用此邮箱地址注册 RecordProof 账户，但该地址已属于一个账户。',
        '',
        '如果是您本人：请直接登录，或重置密码。',
      ),
    },
    address: {
      subject: '您的 RecordProof 邮箱地址已更改',
      text: lines(
        '使用此邮箱地址的 RecordProof 账户已改用其他地址。',
        '',
        '如果不是您本人操作，请立即通知服务器管理员。',
      ),
    },
    device: {
      subject: '您的 RecordProof 账户有新的登录',
      unknown: '未知',
      text: (device, ip, at) =>
        lines(
          '有人从新的设备或地址登录了您的 RecordProof 账户。',
          '',
          `设备：${device}`,
          `地址：${ip}`,
          `时间：${at}`,
          '',
          '如果不是您本人，请更改密码，其他会话将随之结束。',
        ),
    },
    factors: {
      subject: '您的 RecordProof 登录方式已更改',
      advice: '如果不是您本人操作，请更改密码，并通知服务器管理员。',
      changes: {
        'totp-added': '您的 RecordProof 账户已设置一次性验证码应用。',
        'totp-removed': '您的 RecordProof 账户已移除一次性验证码应用。',
        'passkey-added': '您的 RecordProof 账户已添加一个通行密钥。',
        'passkey-removed': '您的 RecordProof 账户已移除一个通行密钥。',
        'passkey-copied':
          '您的 RecordProof 账户的一个通行密钥在使用时计数器过低，可能已被复制。此次登录已被拒绝，请移除该通行密钥。',
        'recovery-codes-renewed': '您的 RecordProof 账户已生成新的恢复码，旧恢复码不再有效。',
        'recovery-code-used': '您的 RecordProof 账户使用了一个恢复码。',
        reset: '管理员已重置您的 RecordProof 账户的两步验证，您的会话已结束。',
      },
    },
    token: {
      subject: name => `API 令牌“${name}”即将到期`,
      text: (name, owner, until) =>
        lines(
          `RecordProof 账户 ${owner} 的 API 令牌“${name}”将于 ${until} 到期。`,
          '',
          '届时使用它的程序将被拒绝。请创建新令牌并替换：',
          '',
          'recordproof tokens create',
          '',
          '如果不再使用，请将其撤销：recordproof tokens revoke。',
        ),
    },
    invitation: {
      subject: '您的 RecordProof 邀请',
      text: (link, role, until) =>
        lines(
          `邀请您注册 RecordProof 账户，角色为“${role}”。`,
          '',
          '请打开以下链接，设置用户名和密码：',
          '',
          link,
          '',
          `链接只能使用一次，有效期至 ${until}，请勿转发。也可使用命令行：`,
          '',
          'recordproof register --invitation <链接>',
          '',
          '如果您不知道邀请人是谁，请忽略此邮件。',
        ),
    },
    share: {
      subject: name => `${name} 与您分享了文件`,
      subjectOf: (name, title) => `${name} 的分享：${title}`,
      lead: (name, until) => `${name} 通过以下链接与您分享文件，有效期至 ${until}：`,
      title: title => `标题：${title}`,
      writes: name => `${name} 的留言：`,
      password: '打开文件需要密码，请通过邮件以外的方式索取。',
      account: '打开此分享需要本服务器的账户。',
      closing: '如果您不知道分享人是谁，请忽略此邮件。',
    },
    arrivals: {
      subject: (files, title) => `收到 ${files} 个文件：${title}`,
      lead: (files, title) => `通过您的收件链接“${title}”收到 ${files} 个文件`,
      folder: path => `，存入文件夹 ${path}`,
      end: '。',
      text: '每个文件均已登记，发送者已获得签名回执。',
    },
    health: {
      alerts: alerts => `${alerts} 条未解决的告警`,
      changes: many => `${many} 项变化`,
      changed: address => `${address} 上的变化：`,
      normal: '正常',
      before: state => `（此前：${state}）`,
      allNormal: '现在一切正常。',
      notNormal: '目前异常：',
      details: '详情：recordproof admin health、recordproof admin integrity alerts、recordproof-server doctor。',
    },
    signInLink: {
      subject: 'RecordProof：管理员登录链接',
      created: username => `服务器上为 ${username} 创建了一次性登录链接。`,
      used: (username, ip) => `${username} 使用一次性链接从 ${ip} 登录。`,
      closing: '如果不是本服务器的管理员所为，则说明服务器所在的机器已被他人控制。',
    },
  },
);

export type MailTexts = (typeof mailWords)['en'];
