import type { Identity } from '@portico/contract/identities'
import { aGroup, anIdentity } from './access.ts'
import { answer, type serveApi } from './server.ts'

type Answers = Parameters<typeof serveApi>[0]

export const identitiesPath = '/identity/v1/identities'

const groups = [
  aGroup(),
  aGroup({ _id: 'g2', name: 'Loaders' }),
  aGroup({ _id: 'g3', name: 'Root team', isAdmin: true }),
  aGroup({ _id: 'g4', name: 'everyone' }),
]

/** A portal with these identities, and groups of each kind. */
export const portalWithIdentities = (identities: Identity[] = [anIdentity()], more: Answers = {}): Answers => ({
  [`GET ${identitiesPath}`]: answer(identities),
  'GET /identity/v1/groups': answer(groups),
  'GET /identity/v1/policies': answer([]),
  ...more,
})

/** A credential of the identity `i1`, never used and without an end. */
export const aCredential = (number: number, isActive = true) => ({
  _id: `i1-${number}`,
  name: `Key ${number}`,
  accessKey: `KEY${number}`,
  isActive,
  createdAt: '2026-01-31T10:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  createdBy: 'tom.lind@example.com',
  isBlocked: false,
})
