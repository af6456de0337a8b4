import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { anIdentity } from '#test/access.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { IdentitiesPage } from './identities-page.tsx'

const path = '/identity/v1/identities'
const email = 'tom.lind@example.com'

test.each([
  ['of this account', { isPowerUser: true }, `'${email}' has to sign in again to work in this account`],
  ['everywhere', { isPowerAdmin: true }, `This ends all sessions of '${email}', in all accounts`],
])('signing a person out %s asks first, and is not offered before their first sign-in', async (where, role, asked) => {
  beSignedIn(role)
  const invited = anIdentity({ _id: 'i2', email: 'ida@example.com', status: 'invited' })
  const sent = serveApi({
    [`GET ${path}`]: answer([anIdentity(), invited]),
    'GET /identity/v1/groups': answer([]),
    'GET /identity/v1/policies': answer([]),
    [`DELETE ${path}/i1/sessions`]: answer({ ended: 2 }),
  })
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  const open = async (of: string): Promise<void> =>
    user.click(await screen.findByRole('button', { name: `More actions for ${of}` }))
  await open(invited.email)
  await screen.findByRole('menuitem', { name: 'Invite again' })
  expect(screen.queryByRole('menuitem', { name: `Sign out ${where}` })).toBeNull()
  await user.keyboard('{Escape}')
  await open(email)
  await user.click(await screen.findByRole('menuitem', { name: `Sign out ${where}` }))
  const question = await screen.findByRole('dialog', { name: `Sign out ${where}` })
  expect(question).toHaveTextContent(`Are you sure?${asked}`)
  await user.click(within(question).getByRole('button', { name: 'Yes, sign out' }))
  expect(await screen.findByText(`'${email}' was signed out of 2 sessions.`)).toBeVisible()
  expect(sent.filter(({ call }) => call.startsWith('DELETE')).map(({ call }) => call)).toEqual([
    `DELETE ${path}/i1/sessions`,
  ])
})
