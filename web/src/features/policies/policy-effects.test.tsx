import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { aGroup, aPolicy } from '#test/access.ts'
import { pick } from '#test/pick.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { PoliciesPage } from './policies-page.tsx'

const path = '/identity/v1/policies'

beforeEach(() => beSignedIn({ isPowerAdmin: true }))

test('before a policy is saved, the dialog shows who gains and who loses what', async () => {
  const held = aPolicy({ groups: ['Analysts'] })
  const person = (email: string) => ({ email, userName: null, kind: 'person', account: 1 })
  const sent = serveApi({
    [`GET ${path}`]: answer([held]),
    'GET /identity/v1/groups': answer([aGroup()]),
    'GET /identity/v1/identities': answer([]),
    [`GET ${path}/p1`]: answer(held),
    [`POST ${path}/p1/effects`]: answer([
      {
        role: { before: 'member', after: 'member' },
        changes: [
          { action: 'contact-service::imports::get', before: 'always', after: 'never' },
          { action: 'contact-service::exports::get', before: 'never', after: 'conditions' },
        ],
        count: 5,
        holders: [person('ada@x.example'), person('bob@x.example'), person('cy@x.example'), person('dee@x.example')],
      },
      { role: { before: 'member', after: 'power-user' }, changes: [], count: 1, holders: [person('eve@x.example')] },
    ]),
  })
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'Edit cs-imports' }))
  const form = await openedDialog('Edit Policy')
  expect(within(form).queryByRole('region', { name: /Who gains/ })).toBeNull()
  await user.click(within(form).getByRole('button', { name: 'Edit action 1' }))
  await pick(user, 'Resource', 'exports')
  await user.click(within(form).getByRole('button', { name: 'Change action' }))
  const effects = await within(form).findByRole('region', { name: /Who gains and who loses/ })
  await within(effects).findByText('5 people')
  expect(effects).toHaveTextContent('5 people: ada@x.example, bob@x.example, cy@x.example and 2 more')
  expect(effects).toHaveTextContent('GainView exports (only under conditions)')
  expect(effects).toHaveTextContent('LoseView imports')
  expect(effects).toHaveTextContent('1 person: eve@x.exampleThey become power users')
  const previews = sent.filter((request) => request.call.endsWith('/effects'))
  expect(previews.map(({ body }) => body)).toEqual([
    { actions: ['contact-service::exports::get'], conditions: [], conditionLogic: 'and' },
  ])
})
