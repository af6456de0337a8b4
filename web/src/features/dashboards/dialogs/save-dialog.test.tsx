import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aDashboard, aDefinition } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { DeleteDashboardDialog } from './delete-dashboard-dialog.tsx'
import { SaveDialog, type SaveMode } from './save-dialog.tsx'

const list = 'POST /contact-service/v1/dashboards'
const one = 'PUT /contact-service/v1/dashboards/d1'
const definition = aDefinition({ id: 'a', cols: 12 })

beforeEach(() => beSignedIn({ policies: ['contact-dashboards-view', 'contact-dashboards-update'] }))

function open(mode: SaveMode) {
  const onSaved = vi.fn<(saved: unknown) => void>()
  const onClose = vi.fn<() => void>()
  const dashboard = mode === 'new' ? null : aDashboard()
  const rendered = renderApp(<SaveDialog {...{ mode, dashboard, definition, onSaved, onClose }} />)
  return { ...rendered, onSaved, onClose }
}

const button = (name: string): HTMLElement => screen.getByRole('button', { name })

test('an update sends the edited version and confirms the save', async () => {
  const sent = serveApi({ [one]: answer(aDashboard({ version: 4 })) })
  const { user, onSaved, onClose } = open('update')
  await user.click(await screen.findByRole('button', { name: 'Save' }))
  expect(await screen.findByText("'Membership' was successfully saved.")).toBeVisible()
  const sharedWith = { paids: [1], aids: [1], users: 'all' }
  const body = { name: 'Membership', tags: ['event'], sharedWith, definition: JSON.stringify(definition), version: 3 }
  expect(sent.find(({ call }) => call === one)?.body).toEqual(body)
  expect(onSaved).toHaveBeenCalledOnce()
  expect(onClose).toHaveBeenCalledOnce()
})

test('a clone is named after the original, has no id, and needs a different name', async () => {
  const sent = serveApi({ [list]: answer(aDashboard({ _id: 'd2', name: 'Second' }), 201) })
  const { user } = open('clone')
  const name = await screen.findByRole('textbox', { name: 'Name' })
  expect(name).toHaveValue('Copy of Membership')
  await user.clear(name)
  await user.type(name, 'membership')
  await user.click(button('Clone'))
  expect(screen.getByText('The new name cannot be the same as the current name!')).toBeVisible()
  await user.clear(name)
  await user.type(name, 'Second')
  await user.click(button('Clone'))
  expect(await screen.findByText("'Second' was successfully created.")).toBeVisible()
  expect(sent.find(({ call }) => call === list)?.body).not.toHaveProperty('_id')
})

test.each<[SaveMode, string, string]>([
  ['update', 'Save', one],
  ['clone', 'Clone', list],
])('if it fails to %s, the dialog stays open with the error in red', async (mode, label, call) => {
  serveApi({ [call]: refusal(500, 'unexpected', 'The database is away.') })
  const { user, onClose } = open(mode)
  await user.click(await screen.findByRole('button', { name: label }))
  const problem = await screen.findByText('The database is away.')
  expect(problem).toBeVisible()
  expect(problem.style.color).toBe('var(--alert-color)')
  expect(screen.getByRole('dialog')).toBeVisible()
  expect(onClose).not.toHaveBeenCalled()
})

test('a refusal by the server is shown at its field, or below the form', async () => {
  const details = [
    { field: 'name', message: 'Use other letters.' },
    { field: 'definition', message: 'Too many cells.' },
  ]
  serveApi({ [one]: refusal(400, 'invalid_input', 'Some fields are not valid.', details) })
  const { user } = open('update')
  await user.click(await screen.findByRole('button', { name: 'Save' }))
  expect(await screen.findByText('definition: Too many cells.')).toBeVisible()
  expect(screen.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription(/Use other letters\./)
})

const lists = ['Share with parent accounts', 'Share with accounts', 'Share with users']
const users = ['All users', 'Only me', 'Custom users']

test.each([
  [
    'a power admin',
    true,
    [
      ['All parent accounts', 'Current parent account', 'Custom parent accounts'],
      ['All accounts', 'Current account', 'Custom accounts'],
      users,
    ],
  ],
  ['anyone else', false, [[], ['Current parent account', 'Current account', 'Custom accounts'], users]],
] as const)('sharing by %s', async (_, isPowerAdmin, choices) => {
  beSignedIn({ isPowerAdmin, policies: ['contact-dashboards-update'] })
  serveApi({ 'GET /identity/v1/accounts': answer([{ Key: 1, Value: 'Copper Canyon' }]) })
  const { user } = open('update')
  await screen.findByRole('combobox', { name: 'Share with users' })
  for (const [at, label] of lists.entries()) {
    const select = screen.queryByRole('combobox', { name: label })
    expect(select !== null).toBe(choices[at]?.length !== 0)
    if (!select) continue
    await user.click(select)
    const list = within(await screen.findByRole('listbox', { name: label, hidden: true }))
    const options = list.getAllByRole('option', { hidden: true })
    expect(options.map(({ textContent }) => textContent)).toEqual(choices[at])
    await user.click(options[2] as HTMLElement)
  }
  await user.click(button('Save'))
  // For each custom list that is empty.
  expect(screen.getAllByText('Value is required!')).toHaveLength(isPowerAdmin ? 3 : 2)
})

test('a sharing that the author may no longer grant is shown with the stored ids', async () => {
  const text = 'Your permission has changed since last sharing!'
  serveApi({ [one]: refusal(409, 'sharing_changed', text, { paids: [2, 5], aids: 'all' }) })
  const { user } = open('update')
  await user.click(await screen.findByRole('button', { name: 'Save' }))
  const alert = await screen.findByRole('alert', { name: text })
  expect(alert).toHaveTextContent('Parent accounts: 2, 5. Accounts: all.')
  expect(screen.getByRole('dialog', { name: 'Update Dashboard' })).toBeVisible()
})

test('over a newer version the user sees the changes, saves a copy, or overwrites exactly the version shown', async () => {
  const change = {
    version: 4,
    savedBy: 'dana@example.com',
    savedAt: '2026-03-02T10:00:00.000Z',
    changes: 'Added Goals.',
  }
  const newer = refusal(409, 'newer_version', 'It was changed meanwhile.', { version: 4, changes: [change] })
  const later = { ...change, version: 5, savedBy: 'eve@example.com' }
  const newest = refusal(409, 'newer_version', 'It was changed meanwhile.', { version: 5, changes: [later, change] })
  const answers = new Map([
    [3, newer],
    [4, newest],
    [5, answer(aDashboard({ version: 6 }))],
  ])
  const sent = serveApi({
    [one]: ({ body }) => answers.get((body as { version: number }).version) ?? answer(null, 500),
    [list]: answer(aDashboard({ _id: 'd2', name: 'Copy of Membership' }), 201),
  })
  const { user } = open('update')
  await user.click(await screen.findByRole('button', { name: 'Save' }))
  const alert = within(await screen.findByRole('alert', { name: 'It was changed meanwhile.' }))
  expect(alert.getByText(/dana@example.com: Added Goals\.$/)).toBeVisible()
  await user.click(alert.getByRole('button', { name: 'Save mine as a copy' }))
  expect(await screen.findByText("'Copy of Membership' was successfully created.")).toBeVisible()
  expect(sent.find(({ call }) => call === list)?.body).toMatchObject({ name: 'Copy of Membership' })
  await user.click(button('Save over it'))
  expect(await screen.findByText(/eve@example.com: Added Goals\.$/)).toBeVisible()
  await user.click(button('Save over it'))
  await waitFor(() => expect(sent.filter(({ call }) => call === one)).toHaveLength(3))
})

test('deleting needs the name in any letter case; on failure the dialog stays open with the error', async () => {
  const call = 'DELETE /contact-service/v1/dashboards/d1'
  let hasFailed = false
  serveApi({
    [call]: () => {
      if (hasFailed) return answer(null, 204)
      hasFailed = true
      return refusal(500, 'unexpected', 'The database is away.')
    },
  })
  const onDeleted = vi.fn<() => void>()
  const onClose = vi.fn<() => void>()
  const { user } = renderApp(<DeleteDashboardDialog dashboard={aDashboard()} {...{ onDeleted, onClose }} />)
  const name = await screen.findByRole('textbox', { name: 'Name' })
  expect(button('Delete')).toBeDisabled()
  await user.type(name, 'Member')
  expect(button('Delete')).toBeDisabled()
  await user.type(name, 'SHIP')
  await user.click(button('Delete'))
  expect((await screen.findByText('The database is away.')).style.color).toBe('var(--alert-color)')
  expect(onClose).not.toHaveBeenCalled()
  await user.click(button('Delete'))
  expect(await screen.findByText("'Membership' was successfully deleted.")).toBeVisible()
  expect(onDeleted).toHaveBeenCalledOnce()
})
