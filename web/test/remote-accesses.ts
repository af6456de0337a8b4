import type { RemoteAccess } from '@portico/contract/remote-access'

/** A remote access for tests: in use, with the values given by the test. */
export const aRemoteAccess = (part: Partial<RemoteAccess> = {}): RemoteAccess => ({
  _id: '1',
  version: 1,
  accountId: 1,
  type: 'domain',
  domainOrIp: 'shop.example.com',
  includeSubDomains: true,
  filter: '{"Email":"{{Email}}"}',
  publicColumns: '"First Name" City',
  creationDate: '2026-11-01T10:00:00.000Z',
  creator: 'mara.klein@example.com',
  isPaused: false,
  expiresAt: null,
  lastUsedAt: null,
  stopped: null,
  index: { state: 'ready', reason: null },
  ...part,
})

/** Columns of the account in these tests. */
export const accessFields = ['First Name', 'City', 'Email', 'Phone', 'Zip'].map((name) => ({
  name,
  type: 'string',
  isIndexed: false,
}))
