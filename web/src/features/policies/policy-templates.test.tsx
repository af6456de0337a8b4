import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { aPolicy } from '#test/access.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { PoliciesPage } from './policies-page.tsx'

beforeEach(() => beSignedIn({ isPowerAdmin: true }))

test('a new policy starts from a template, and gets actions by area and name', async () => {
  const sent = serveApi({
    'GET /identity/v1/policies': answer([]),
    'GET /identity/v1/groups': answer([]),
    'GET /identity/v1/identities': answer([]),
    'POST /identity/v1/policies': answer(aPolicy(), 201),
  })
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'NEW POLICY' }))
  const form = within(await openedDialog('New Policy'))
  await user.click(form.getByRole('combobox', { name: 'Template' }))
  await user.click(await screen.findByRole('option', { name: 'Viewer', hidden: true }))
  expect(form.getByRole('textbox', { name: /^Name/ })).toHaveValue('Viewer')
  await user.click(form.getByRole('combobox', { name: 'Template' }))
  await user.click(await screen.findByRole('option', { name: 'Dashboard viewer', hidden: true }))
  expect(form.getByRole('textbox', { name: /^Name/ })).toHaveValue('Dashboard viewer')
  expect(form.getByText(/Opens dashboards that are shared/)).toBeVisible()
  const picker = form.getByRole('combobox', { name: 'Add by area' })
  await user.click(picker)
  expect(screen.queryByRole('option', { name: 'View dashboards', hidden: true })).toBeNull()
  // Only * covers it.
  expect(screen.queryByRole('option', { name: 'View identities', hidden: true })).toBeNull()
  await user.type(picker, 'export con')
  await user.click(await screen.findByRole('option', { name: 'Export contacts', hidden: true }))
  await user.click(form.getByRole('button', { name: 'Create' }))
  expect(await screen.findByText(/was created\./)).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toMatchObject({
    name: 'Dashboard viewer',
    isAdmin: false,
    actions: ['bi::dashboards::get', 'contact-service::exports::post'],
    conditions: [],
  })
})
