// The permissions of each role. Pure.

import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { permissions } from '@recordproof/shared/api/endpoint.ts';

const ofUsers: readonly Permission[] = [
  'file:read',
  'file:write',
  'file:delete',
  'file:share',
  'ticket:read',
  'ticket:write',
  'friend:read',
  'friend:write',
  'friend:share',
  'message:read',
  'message:write',
  'announcement:read',
];

const ofMonitors: readonly Permission[] = [
  'file:read',
  'ticket:read',
  'friend:read',
  'message:read',
  'announcement:read',
  'system:logs',
  'system:audit',
  'system:metrics',
];

const ofInstallation: Permission = 'installation:admin';

const byRole: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  user: new Set(ofUsers),
  monitor: new Set(ofMonitors),
  admin: new Set(permissions.filter(permission => permission !== ofInstallation)),
};

const ofInstallationAdministrators: ReadonlySet<Permission> = new Set(permissions);

/** Only an administrator of a tenant can also be one of the installation. */
export const permissionsOf = (role: Role, isInstallationAdmin = false): ReadonlySet<Permission> =>
  isInstallationAdmin && role === 'admin' ? ofInstallationAdministrators : byRole[role];

export const roleDescriptions: Readonly<Record<Role, string>> = {
  user: 'stores, proves and shares files of their own',
  monitor: 'sees monitoring and audit, changes nothing',
  admin: 'runs the tenant',
};

export const permissionDescriptions: Readonly<Record<Permission, string>> = {
  'file:read': 'see and download files',
  'file:write': 'upload files and new versions',
  'file:delete': 'delete own files',
  'file:share': 'share own files by link',
  'file:admin': 'see and manage the files and shares of everyone in the tenant',
  'ticket:read': 'see own tickets',
  'ticket:write': 'open and answer own tickets',
  'ticket:admin': 'handle the tickets of everyone in the tenant',
  'friend:read': 'see friends and search users',
  'friend:write': 'ask for, accept and end friendships',
  'friend:share': 'share files with friends',
  'message:read': 'read private messages',
  'message:write': 'write private messages',
  'announcement:read': 'read announcements',
  'announcement:admin': 'write and publish announcements',
  'system:logs': 'see operation logs',
  'system:audit': 'see the audit log and its figures',
  'system:metrics': 'see health details and metrics',
  'system:admin': 'manage accounts, keys, policies and checks',
  'installation:admin': 'manage tenants and maintenance mode, and see the state of the whole installation',
};
