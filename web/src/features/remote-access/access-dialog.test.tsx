import type { RemoteAccess } from '@portico/contract/remote-access'
import { act, screen, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { accessFields, aRemoteAccess } from '#test/remote-accesses.ts'
import { pick } from '#test/pick.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { AccessDialog } from './access-dialog.tsx'

const path = '/contact-service/v1/remoteAccess'
const rating = (level: string) =>
  answer({ level, guessableShare: 0.1, uniqueShare: 0.9, text: `This authentication is ${level}.` })

const portal: Parameters<typeof serveApi>[0] = {
  'GET /contact-service/v1/fields': answer(accessFields),
  [`GET ${path}/rating`]: ({ query }) => rating(query['column'] === '_id' ? 'open' : 'fair'),
  [`POST ${path}`]: answer(aRemoteAccess(), 201),
  [`GET ${path}/1`]: answer(aRemoteAccess()),
  [`PUT ${path}/1`]: answer(aRemoteAccess()),
}

const rights = ['contact-access-list', 'contact-access-create', 'contact-access-update', 'contact-offers-list']
beforeEach(() => beSignedIn({ policies: rights }))

async function openDialog(access: RemoteAccess | null = null) {
  const onClose = vi.fn<() => void>()
  const rendered = renderApp(<AccessDialog access={access} onClose={onClose} />)
  const title = access ? 'Edit Access' : 'Create a New Access'
  return { ...rendered, onClose, dialog: within(await openedDialog(title)) }
}

const publicList = () => within(screen.getByRole('listbox', { name: 'Public Columns', hidden: true }))

async function choosePublic(user: UserEvent, ...names: string[]): Promise<void> {
  await user.click(screen.getByRole('combobox', { name: /^Public Columns/ }))
  for (const name of names) await user.click(await publicList().findByRole('option', { name, hidden: true }))
  await user.keyboard('{Escape}')
}

const save = (user: UserEvent): Promise<void> => user.click(screen.getByRole('button', { name: 'Save' }))
const bodyOf = (sent: Sent[], method: string): unknown =>
  sent.find(({ call }) => call.startsWith(`${method} ${path}`) && !call.endsWith('/trial'))?.body
const isDisplayed = (name: string): boolean => screen.queryByRole('dialog', { name }) !== null

test('an access is created from a domain, a pair of columns and public columns', async () => {
  const sent = serveApi(portal)
  const { user, dialog, onClose } = await openDialog()
  expect(dialog.getByText(/a program can pretend to be a page of this domain/)).toBeVisible()
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'shop.example.com')
  await user.click(dialog.getByRole('switch', { name: 'Include Subdomains' }))
  await pick(user, 'Column to Authenticate with', 'Email')
  expect(await screen.findByText('This authentication is fair.')).toBeVisible()
  await pick(user, 'and a Second Column', 'Zip')
  expect(dialog.getByText('Email & Zip: both values must match.')).toBeVisible()
  await choosePublic(user, 'First Name', 'City')
  expect(dialog.getByText('2/6')).toBeVisible()
  await save(user)
  expect(await screen.findByText('The new remote access for the domain was created.')).toBeVisible()
  expect(onClose).toHaveBeenCalledOnce()
  expect(bodyOf(sent, 'POST')).toEqual({
    type: 'domain',
    domainOrIp: 'shop.example.com',
    includeSubDomains: true,
    filter: '{"Email":"{{Email}}","Zip":"{{Zip}}"}',
    publicColumns: '"First Name" City',
    expiresAt: null,
  })
  expect(sent.filter(({ call }) => call.endsWith('/rating')).map(({ query }) => query)).toEqual([
    { column: 'Email' },
    { column: 'Email', column2: 'Zip' },
  ])
})

test('every missing part is reported, and nothing is sent', async () => {
  const sent = serveApi(portal)
  const { user, dialog } = await openDialog()
  await save(user)
  expect(dialog.getByRole('textbox', { name: 'Domain' })).toHaveAccessibleDescription(/^Value is required!/)
  const column = dialog.getByRole('combobox', { name: 'Column to Authenticate with' })
  expect(column).toHaveAccessibleDescription(/^Value is required!/)
  expect(dialog.getAllByText('Value is required!')).toHaveLength(3)
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'https://shop.example.com')
  expect(dialog.getByText('Value is invalid!')).toBeVisible()
  expect(bodyOf(sent, 'POST')).toBeUndefined()
})

test('an IP address shows a hint, without the sub-domains option and the warning about pages', async () => {
  serveApi(portal)
  const { user, dialog } = await openDialog()
  await user.click(dialog.getByRole('radio', { name: 'IP Address' }))
  const address = dialog.getByRole('textbox', { name: 'IP Address' })
  expect(address).toHaveAccessibleDescription(/^IPv4 format, such as 203\.0\.113\.7, or ::1\./)
  expect(dialog.queryByRole('switch', { name: 'Include Subdomains' })).toBeNull()
  expect(dialog.queryByText(/pretend to be a page/)).toBeNull()
  await user.type(address, '203.0.113.256')
  expect(dialog.getByText('Value is invalid!')).toBeVisible()
})

test('missing columns and columns without a match show a message', async () => {
  let fields: unknown[] = []
  serveApi({ ...portal, 'GET /contact-service/v1/fields': () => answer(fields) })
  const first = await openDialog()
  const chooser = () => screen.getByRole('combobox', { name: /^Public Columns/ })
  await first.user.click(chooser())
  expect(await publicList().findByText('No columns are available.')).toBeInTheDocument()
  first.unmount()
  fields = accessFields
  const { user } = await openDialog()
  await user.type(chooser(), 'Shoe size')
  expect(await publicList().findByText('No matching columns found.')).toBeInTheDocument()
  await user.clear(chooser())
  const offered = publicList()
    .getAllByRole('option', { hidden: true })
    .map(({ textContent }) => textContent)
  expect(offered).toEqual(['First Name', 'City', 'Email', 'Phone', 'Zip', 'purl'])
})

test('columns that are loading show a message', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  const { user } = await openDialog()
  await user.click(screen.getByRole('combobox', { name: /^Public Columns/ }))
  expect(await publicList().findByText('Loading items. Please wait...')).toBeInTheDocument()
})

test('authentication by id requires typing the domain, since ids can be guessed', async () => {
  const sent = serveApi(portal)
  const { user, dialog } = await openDialog()
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'shop.example.com')
  await pick(user, 'Column to Authenticate with', 'ID')
  expect(await screen.findByText('This authentication is open.')).toBeVisible()
  await choosePublic(user, 'City', 'Phone')
  await save(user)
  const question = within(await screen.findByRole('dialog', { name: 'Let anyone read every contact?' }))
  expect(question.getByText(/^These columns look personal: Phone\./)).toBeVisible()
  await user.click(question.getByRole('button', { name: 'Cancel' }))
  expect(bodyOf(sent, 'POST')).toBeUndefined()
  await save(user)
  const again = within(await screen.findByRole('dialog', { name: 'Let anyone read every contact?' }))
  await user.type(again.getByRole('textbox', { name: 'Domain or IP Address' }), 'shop.example')
  expect(again.getByRole('button', { name: 'Save' })).toBeDisabled()
  await user.type(again.getByRole('textbox', { name: 'Domain or IP Address' }), '.COM')
  await user.click(again.getByRole('button', { name: 'Save' }))
  await screen.findByText('The new remote access for the domain was created.')
  expect(bodyOf(sent, 'POST')).toMatchObject({ filter: '{"_id":"{{_id}}"}', publicColumns: 'City Phone' })
})

test('columns that look personal need an extra confirmation', async () => {
  const sent = serveApi(portal)
  const { user, dialog } = await openDialog()
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'shop.example.com')
  await pick(user, 'Column to Authenticate with', 'purl')
  await choosePublic(user, 'City', 'Email', 'Phone')
  await save(user)
  const question = within(await screen.findByRole('dialog', { name: 'Make personal columns public?' }))
  expect(
    question.getByText(
      'These columns look personal: Email, Phone. Anyone who knows or guesses the purl of a contact can read them from a page of the domain or with a program that pretends to be one.',
    ),
  ).toBeVisible()
  await user.click(question.getByRole('button', { name: 'Cancel' }))
  expect(bodyOf(sent, 'POST')).toBeUndefined()
  await save(user)
  await user.click(await screen.findByRole('button', { name: 'Make public' }))
  await screen.findByText('The new remote access for the domain was created.')
  expect(bodyOf(sent, 'POST')).toMatchObject({ publicColumns: 'City Email Phone' })
})

test('a stored access is prefilled, can be paused or expire, and asks only if it gives away more', async () => {
  const stored = aRemoteAccess({ filter: '{"_id":"{{_id}}"}', publicColumns: 'Phone Gone', version: 4 })
  const sent = serveApi({ ...portal, [`GET ${path}/1`]: answer(stored) })
  const { user, dialog } = await openDialog(stored)
  expect(dialog.getByRole('textbox', { name: 'Domain' })).toHaveValue('shop.example.com')
  expect(dialog.getByRole('switch', { name: 'Include Subdomains' })).toBeChecked()
  expect(dialog.getByRole('combobox', { name: 'Column to Authenticate with' })).toHaveValue('ID')
  expect(await dialog.findByText('2/7')).toBeVisible()
  await user.click(dialog.getByRole('switch', { name: 'Paused' }))
  await user.type(dialog.getByLabelText('Expires on'), '2999-12-31')
  await save(user)
  await screen.findByText('The new remote access for the domain was updated.')
  expect(isDisplayed('Let anyone read every contact?')).toBe(false)
  expect(bodyOf(sent, 'PUT')).toEqual({
    type: 'domain',
    domainOrIp: 'shop.example.com',
    includeSubDomains: true,
    filter: '{"_id":"{{_id}}"}',
    publicColumns: 'Phone Gone',
    isPaused: true,
    expiresAt: new Date('2999-12-31T00:00:00').toISOString(),
    version: 4,
  })
})

test('problems reported by the server are shown at their fields, others above the buttons', async () => {
  let reply = refusal(400, 'invalid_input', 'Some fields are not valid.', [
    { field: 'filter', message: 'The column Email does not exist.' },
    { field: 'publicColumns', message: 'The column City does not exist.' },
  ])
  serveApi({ ...portal, [`PUT ${path}/1`]: () => reply })
  const { user, dialog, onClose } = await openDialog(aRemoteAccess())
  await save(user)
  expect(await dialog.findByText('The column City does not exist.')).toBeVisible()
  const column = dialog.getByRole('combobox', { name: 'Column to Authenticate with' })
  expect(column).toHaveAccessibleDescription(/^The column Email does not exist\./)
  reply = refusal(404, 'not_found', 'This remote access is gone.')
  await pick(user, 'Column to Authenticate with', 'Zip')
  await save(user)
  expect(await dialog.findByRole('alert')).toHaveTextContent('This remote access is gone.')
  expect(onClose).not.toHaveBeenCalled()
})

test('settings can be tried out before they are saved', async () => {
  const sent = serveApi({
    ...portal,
    [`POST ${path}/trial`]: answer({
      status: 200,
      offer: { 'First Name': 'Mara', City: 'Oslo' },
      refusal: null,
      text: 'One contact was found.',
      accessId: null,
    }),
  })
  const { user, dialog } = await openDialog()
  await user.click(dialog.getByRole('tab', { name: 'Try it' }))
  await user.click(dialog.getByRole('button', { name: 'Try' }))
  expect(await screen.findByText('Complete the settings first.')).toBeVisible()
  await user.click(dialog.getByRole('tab', { name: 'Settings' }))
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'shop.example.com')
  await pick(user, 'Column to Authenticate with', 'Email')
  await choosePublic(user, 'First Name', 'City')
  await user.click(dialog.getByRole('tab', { name: 'Try it' }))
  expect(dialog.getByRole('textbox', { name: 'As a page of' })).toHaveValue('https://shop.example.com')
  await user.type(dialog.getByRole('textbox', { name: 'with Email' }), 'mara@example.com{Enter}')
  expect(await dialog.findByText('One contact was found.')).toBeVisible()
  expect(dialog.getByText(/"First Name": "Mara"/)).toBeVisible()
  expect(sent.find(({ call }) => call.endsWith('/trial'))?.body).toEqual({
    origin: 'https://shop.example.com',
    query: { Email: 'mara@example.com' },
    draft: {
      type: 'domain',
      domainOrIp: 'shop.example.com',
      includeSubDomains: false,
      filter: '{"Email":"{{Email}}"}',
      publicColumns: '"First Name" City',
      expiresAt: null,
    },
  })
  expect(bodyOf(sent, 'POST')).toBeUndefined()
})

test('Escape does not discard input', async () => {
  serveApi(portal)
  const { user, dialog, onClose } = await openDialog()
  await user.type(dialog.getByRole('textbox', { name: 'Domain' }), 'shop')
  await act(() => user.keyboard('{Escape}'))
  expect(onClose).not.toHaveBeenCalled()
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalledOnce()
})
