import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { anIdentity } from '#test/access.ts'
import { aCredential, identitiesPath, portalWithIdentities } from '#test/identities.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { IdentitiesPage } from './identities-page.tsx'

const email = 'tom.lind@example.com'

// The user's own credentials: those of others they can only switch off.
beforeEach(() => beSignedIn({ isPowerUser: true, email }))

const dialog = (name: string): Promise<HTMLElement> => screen.findByRole('dialog', { name })
const copyFirst = "Copy each secret key and choose 'I have copied it' first. You cannot see it again later."

test('credentials: the secret is shown once; at most five; switched off and on, and deleted after confirmation', async () => {
  const now = { credentials: [1, 2, 3, 4].map((number) => aCredential(number)) }
  const reply = (credentials: unknown[]) => answer({ _id: 'i1', hasApiAccess: true, apiCredentials: credentials })
  const sent = serveApi({
    ...portalWithIdentities(),
    [`GET ${identitiesPath}`]: () => answer([anIdentity({ apiCredentials: now.credentials })]),
    [`PUT ${identitiesPath}/i1/addapi/0`]: () => {
      now.credentials = [...now.credentials, aCredential(5)]
      return reply([...now.credentials.slice(0, 4), { ...aCredential(5), secretKey: 'the-secret' }])
    },
    [`PUT ${identitiesPath}/i1/inactiveapi/i1-1`]: () => {
      now.credentials = now.credentials.with(0, aCredential(1, false))
      return reply(now.credentials)
    },
    [`PUT ${identitiesPath}/i1/reactiveapi/i1-1`]: () => {
      now.credentials = now.credentials.with(0, aCredential(1))
      return reply(now.credentials)
    },
    [`PUT ${identitiesPath}/i1/deleteapi/i1-2`]: () => {
      now.credentials = now.credentials.toSpliced(1, 1)
      return reply(now.credentials)
    },
  })
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: `API credentials of ${email}` }))
  const form = await dialog('Manage Credentials')
  await user.click(within(form).getByRole('button', { name: 'Add credential' }))
  await user.click(within(await dialog('Add credential')).getByRole('button', { name: 'Add' }))
  expect(await within(form).findByText('the-secret')).toBeVisible()
  expect(within(form).getByText('You cannot see it again later.')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'Copy the secret key' }))
  expect(await navigator.clipboard.readText()).toBe('the-secret')
  await within(form).findByText(`${email} · 5 of 5`)
  const add = within(form).getByRole('button', { name: 'Add credential' })
  expect(add).toHaveAttribute('aria-disabled', 'true')
  await user.click(add)
  expect(await screen.findByText('An identity has at most 5 credentials.')).toBeInTheDocument()

  await user.click(within(form).getByRole('button', { name: 'Deactivate KEY1' }))
  await user.click(await within(form).findByRole('button', { name: 'Activate KEY1' }))
  await within(form).findByRole('button', { name: 'Deactivate KEY1' })
  expect(within(form).getAllByText(/^Created .* · never used · never expires$/)).toHaveLength(5)
  await user.click(within(form).getByRole('button', { name: 'Delete KEY2' }))
  const question = await dialog('Delete credential')
  expect(question).toHaveTextContent('Are you sure?')
  await user.click(within(question).getByRole('button', { name: 'Yes, delete it' }))
  await waitFor(() => expect(within(form).queryByText('KEY2')).toBeNull())
  expect(sent.filter(({ call }) => call.startsWith('PUT'))).toHaveLength(4)
})

test('credentials: each new secret is shown until dismissed; a name and an expiry date are sent', async () => {
  const now = { credentials: [{ ...aCredential(1), expiresAt: '2026-02-01T00:00:00.000Z' }] as unknown[] }
  const sent = serveApi({
    ...portalWithIdentities(),
    [`GET ${identitiesPath}`]: () => answer([anIdentity({ apiCredentials: now.credentials as never })]),
    [`PUT ${identitiesPath}/i1/addapi/0`]: ({ body }) => {
      const added = { ...aCredential(now.credentials.length + 1), ...(body as object) }
      const before = now.credentials
      now.credentials = [...before, added]
      return answer({
        _id: 'i1',
        hasApiAccess: true,
        apiCredentials: [...before, { ...added, secretKey: `secret-${added._id}` }],
      })
    },
  })
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: `API credentials of ${email}` }))
  const form = await dialog('Manage Credentials')
  expect(within(form).getByText('expired')).toBeVisible()
  for (const [name, date] of [
    ['Sync', '2999-01-31'],
    ['Backup', ''],
  ] as const) {
    await user.click(within(form).getByRole('button', { name: 'Add credential' }))
    const adding = await dialog('Add credential')
    await user.clear(within(adding).getByLabelText('Name'))
    await user.type(within(adding).getByLabelText('Name'), name)
    if (date) await user.type(within(adding).getByLabelText('Expires on'), date)
    await user.click(within(adding).getByRole('button', { name: 'Add' }))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Add credential' })).toBeNull())
  }
  expect(sent.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body)).toEqual([
    { name: 'Sync', expiresAt: new Date('2999-01-31T00:00:00').toISOString() },
    { name: 'Backup' },
  ])
  expect(within(form).getByText('secret-i1-2')).toBeVisible()
  expect(within(form).getByText('secret-i1-3')).toBeVisible()
  const [corner, close] = within(form).getAllByRole('button', { name: 'Close' })
  expect(corner).toBeDisabled()
  expect(corner).toHaveAccessibleDescription(copyFirst)
  expect(close).toHaveAttribute('aria-disabled', 'true')
  if (close) await user.hover(close)
  expect(await screen.findByRole('tooltip')).toHaveTextContent(copyFirst)
  expect(close).toHaveAccessibleDescription(copyFirst)
  if (close) await user.click(close)
  expect(form).toBeVisible()
  const [first] = within(form).getAllByRole('button', { name: 'I have copied it' })
  if (first) await user.click(first)
  expect(within(form).queryByText('secret-i1-2')).toBeNull()
  expect(within(form).getByText('secret-i1-3')).toBeVisible()
  await user.click(within(form).getByRole('button', { name: 'I have copied it' }))
  expect(within(form).queryByText('secret-i1-3')).toBeNull()
  if (close) await user.click(close)
  await waitFor(() => expect(form).not.toBeInTheDocument())
})

test('credentials of another person can be switched off and deleted, not added or switched on', async () => {
  beSignedIn({ isPowerUser: true, email: 'chief@example.com' })
  const credentials = [aCredential(1), { ...aCredential(2, false), createdBy: 'chief@example.com' }]
  serveApi(portalWithIdentities([anIdentity({ apiCredentials: credentials })]))
  const { user } = renderApp(<IdentitiesPage />, '/iam/identities')
  await user.click(await screen.findByRole('button', { name: `API credentials of ${email}` }))
  const form = await dialog('Manage Credentials')
  const why = `Only ${email} can do this, in their profile. For a program, create a service identity.`
  for (const name of ['Add credential', 'Activate KEY2']) {
    const button = within(form).getByRole('button', { name })
    expect(button).toHaveAttribute('aria-disabled', 'true')
    await user.hover(button)
    expect(await screen.findByText(why)).toBeInTheDocument()
    await user.unhover(button)
  }
  expect(within(form).getByRole('button', { name: 'Deactivate KEY1' })).not.toHaveAttribute('aria-disabled', 'true')
  expect(within(form).getByText(/^Created .* by chief@example.com · never used/)).toBeVisible()
})
