import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { aGroup, aPolicy } from '#test/access.ts'
import { pick } from '#test/pick.ts'
import { openedDialog } from '#test/opened-dialog.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { changeSettings } from '#lib/settings.ts'
import { PoliciesPage } from './policies-page.tsx'

beforeEach(() => {
  beSignedIn({ isPowerAdmin: true })
  changeSettings({ rowsPerPage: 10, singleExpand: true })
})

const dialog = openedDialog

test('deleting a condition keeps unsaved input in other conditions', async () => {
  const conditions = ['param::0::eq::a', 'query::limit::eq::5', 'param::1::eq::b']
  const policy = aPolicy({ actions: ['bi::reports::get', 'bi::dashboards::get'], conditions })
  serveApi({
    'GET /identity/v1/policies': answer([policy]),
    'GET /identity/v1/groups': answer([aGroup()]),
    'GET /identity/v1/identities': answer([]),
  })
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'Edit cs-imports' }))
  const form = await dialog('Edit Policy')
  const removeFirst = async (noun: string): Promise<void> => {
    await user.click(within(form).getByRole('button', { name: `Delete ${noun} 1` }))
    await user.click(within(await dialog(`Delete ${noun}`)).getByRole('button', { name: 'Yes, delete it' }))
  }
  const value = within(form).getByRole('textbox', { name: 'Value' })
  await pick(user, 'Option', 'param')
  await user.type(value, 'half typed')
  expect(within(form).getByRole('textbox', { name: 'Key' })).toHaveValue('2')
  await removeFirst('condition')
  expect(value).toHaveValue('half typed')
  expect(within(form).getByRole('textbox', { name: 'Key' })).toHaveValue('1')

  await user.click(within(form).getByRole('button', { name: 'Edit condition 2' }))
  await user.type(value, 'etter')
  await removeFirst('condition')
  expect(value).toHaveValue('better')
  await user.click(within(form).getByRole('button', { name: 'Change condition' }))
  expect(within(form).getByText('param::0::eq::better')).toBeVisible()

  await pick(user, 'Microservice', 'scheduler')
  await removeFirst('action')
  expect(within(form).getByRole('combobox', { name: 'Microservice' })).toHaveValue('scheduler')
})

test('a negative condition on text shows a warning, one on a number does not', async () => {
  serveApi({
    'GET /identity/v1/policies': answer([aPolicy()]),
    'GET /identity/v1/groups': answer([aGroup()]),
    'GET /identity/v1/identities': answer([]),
  })
  const { user } = renderApp(<PoliciesPage />, '/iam/policies')
  await user.click(await screen.findByRole('button', { name: 'Edit cs-imports' }))
  const form = await dialog('Edit Policy')
  const value = within(form).getByRole('textbox', { name: 'Value' })
  const advice =
    'Text can be worded in many ways, and a missing value is allowed too. List allowed values instead, with "eq" or "in".'
  await pick(user, 'Option', 'body')
  await pick(user, 'Operator', 'nct')
  await user.type(value, 'Salary')
  expect(value).toHaveAccessibleDescription(advice)
  await pick(user, 'Operator', 'ct')
  expect(within(form).queryByText(advice)).not.toBeInTheDocument()
  await pick(user, 'Operator', 'neq')
  await user.clear(value)
  await user.type(value, '5')
  expect(within(form).queryByText(advice)).not.toBeInTheDocument()
})
