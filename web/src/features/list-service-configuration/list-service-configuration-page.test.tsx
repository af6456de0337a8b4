import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { ListServiceConfigurationPage } from './list-service-configuration-page.tsx'

const saved = { purlColumns: ['First', 'Last'], dedupColumns: [], notificationEmails: [] }
const put = 'PUT /contact-service/v1/configuration'
const exportsPath = '/contact-service/v1/configuration/exports'
const filtersPath = '/contact-service/v1/configuration/filters'
const portal = {
  [`GET ${filtersPath}`]: answer({ onlyIndexedFields: false }),
  [`PUT ${filtersPath}`]: ({ body }: { body: unknown }) => answer(body),
  [`GET ${exportsPath}`]: answer({ guardFormulas: true }),
  [`PUT ${exportsPath}`]: ({ body }: { body: unknown }) => answer(body),
  'GET /contact-service/v1/configuration': answer(saved),
  'GET /contact-service/v1/fields': answer([{ name: 'City', type: 'string', isIndexed: false }]),
  [put]: ({ body }: { body: unknown }) => answer(body),
}

beforeEach(() => beSignedIn({ isPowerUser: true, policies: ['contact-offers-list'] }))

const save = () => screen.getByRole('button', { name: 'Save' })
const entry = (name: string) => screen.getByRole(name.startsWith('e-mail') ? 'textbox' : 'combobox', { name })
const add = (noun: string) => screen.getByRole('button', { name: `Add ${noun}` })

test('entries are validated while typing', async () => {
  serveApi(portal)
  const { user } = renderApp(<ListServiceConfigurationPage />)
  expect(await screen.findByRole('combobox', { name: 'PURL column 2' })).toHaveValue('Last')
  expect(save()).toBeDisabled()
  await user.click(add('PURL column'))
  const third = entry('PURL column 3')
  expect(third).toHaveFocus()
  expect(third).toHaveAccessibleDescription('Value is required!')
  expect(add('PURL column')).toBeDisabled()
  await user.type(third, 'first')
  expect(third).toHaveAccessibleDescription('Value is duplicate!')
  await user.clear(third)
  await user.type(third, 'purl')
  expect(third).toHaveAccessibleDescription('Value is not allowed!')
  await user.click(add('e-mail'))
  await user.type(entry('e-mail 1'), 'ann')
  expect(entry('e-mail 1')).toHaveAccessibleDescription('Value is invalid!')
  expect(save()).toBeDisabled()
})

test('takes at most five dedup columns', async () => {
  serveApi(portal)
  const { user } = renderApp(<ListServiceConfigurationPage />)
  await screen.findByRole('combobox', { name: 'PURL column 1' })
  for (let position = 1; position <= 5; position++) {
    await user.click(add('dedup column'))
    await user.type(entry(`dedup column ${position}`), `Column ${position}`)
  }
  expect(add('dedup column')).toBeDisabled()
})

test('deleting asks first; the form shows what is saved', async () => {
  const sent = serveApi(portal)
  const { user } = renderApp(<ListServiceConfigurationPage />)
  await user.click(await screen.findByRole('button', { name: 'Delete PURL column 1' }))
  expect(await screen.findByText('Are you sure?')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'No' }))
  expect(entry('PURL column 1')).toHaveValue('First')
  await user.click(screen.getByRole('button', { name: 'Delete PURL column 1' }))
  await user.click(await screen.findByRole('button', { name: 'Yes, delete it' }))
  expect(entry('PURL column 1')).toHaveValue('Last')
  await user.click(add('e-mail'))
  await user.type(entry('e-mail 1'), 'ann@example.com')
  await user.click(save())
  expect(await screen.findByText('The configuration was updated.')).toBeVisible()
  expect(sent.find(({ call }) => call === put)?.body).toEqual({
    purlColumns: ['Last'],
    dedupColumns: [],
    notificationEmails: ['ann@example.com'],
  })
  expect(save()).toBeDisabled()
})

test('offers the fields of contacts, and shows a refusal by the server', async () => {
  serveApi({ ...portal, [put]: refusal(403, 'not_allowed', 'You may not do this.') })
  const { user } = renderApp(<ListServiceConfigurationPage />)
  await screen.findByRole('combobox', { name: 'PURL column 1' })
  await user.click(add('dedup column'))
  const list = within(document.body)
  await user.click(await list.findByRole('option', { name: 'City' }))
  expect(entry('dedup column 1')).toHaveValue('City')
  await user.click(save())
  expect(await screen.findByRole('alert')).toHaveTextContent('You may not do this.')
})

test('exports guard against formulas until the switch is turned off, which saves at once', async () => {
  const sent = serveApi(portal)
  const { user } = renderApp(<ListServiceConfigurationPage />)
  const guard = await screen.findByRole('switch', { name: 'Guard against formulas' })
  expect(guard).toBeChecked()
  await user.click(guard)
  expect(await screen.findByText('The configuration was updated.')).toBeVisible()
  expect(guard).not.toBeChecked()
  expect(sent.filter(({ call }) => call.startsWith('PUT')).map(({ call, body }) => [call, body])).toEqual([
    [`PUT ${exportsPath}`, { guardFormulas: false }],
  ])
})

test('a refused change leaves the guard unchanged and is reported', async () => {
  serveApi({ ...portal, [`PUT ${exportsPath}`]: refusal(403, 'not_allowed', 'You may not do this.') })
  const { user } = renderApp(<ListServiceConfigurationPage />)
  await user.click(await screen.findByRole('switch', { name: 'Guard against formulas' }))
  expect(await screen.findByText('You may not do this.')).toBeVisible()
  expect(screen.getByRole('switch', { name: 'Guard against formulas' })).toBeChecked()
})

test('filters may use any field until only indexed ones are allowed, which saves at once', async () => {
  const sent = serveApi(portal)
  const { user } = renderApp(<ListServiceConfigurationPage />)
  const rule = await screen.findByRole('switch', { name: 'Only indexed fields' })
  expect(rule).not.toBeChecked()
  await user.click(rule)
  expect(await screen.findByText('The configuration was updated.')).toBeVisible()
  expect(rule).toBeChecked()
  expect(sent.filter(({ call }) => call.startsWith('PUT')).map(({ call, body }) => [call, body])).toEqual([
    [`PUT ${filtersPath}`, { onlyIndexedFields: true }],
  ])
})
