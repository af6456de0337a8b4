import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { anIdentity } from '#test/access.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { IdentitiesPage } from './identities-page.tsx'

const path = '/identity/v1/identities'
const email = 'tom.lind@example.com'

test('somebody is signed out everywhere after a question; who was never in cannot be', async () => {
  beSignedIn({ isPowerUser: true })
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
  expect(screen.queryByRole('menuitem', { name: 'Sign out everywhere' })).toBeNull()
  await user.keyboard('{Escape}')
  await open(email)
  await user.click(await screen.findByRole('menuitem', { name: 'Sign out everywhere' }))
  const question = await screen.findByRole('dialog', { name: 'Sign out everywhere' })
  expect(question).toHaveTextContent(`Are you sure?This ends all sessions of '${email}', in all accounts`)
  await user.click(within(question).getByRole('button', { name: 'Yes, sign out' }))
  expect(await screen.findByText(`'${email}' was signed out of 2 sessions.`)).toBeVisible()
  expect(sent.filter(({ call }) => call.startsWith('DELETE')).map(({ call }) => call)).toEqual([
    `DELETE ${path}/i1/sessions`,
  ])
})
