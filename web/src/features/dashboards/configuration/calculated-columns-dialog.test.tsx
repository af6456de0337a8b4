import type { CalculatedColumn } from '@portico/contract/dashboards/calculated-column'
import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aChart, groupedByCity } from '#test/dashboards.ts'
import { pick } from '#test/pick.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn, serveApi } from '#test/server.ts'
import { CalculatedColumnsDialog } from './calculated-columns-dialog.tsx'

const twice: CalculatedColumn = { name: 'Twice', expression: '{{count}} * 2', fix: 'none', position: 'e' }

beforeEach(() => {
  beSignedIn()
  serveApi({})
})

function open(...calculatedColumns: CalculatedColumn[]) {
  const onSave = vi.fn<(columns: CalculatedColumn[]) => void>()
  const onClose = vi.fn<() => void>()
  const chart = aChart({ type: 'CalculatedTable', filter: groupedByCity, calculatedColumns })
  const columns = ['City', 'count']
  const rendered = renderApp(<CalculatedColumnsDialog {...{ chart, columns, onSave, onClose }} />)
  const column = (name: string) => within(screen.getByRole('group', { name }))
  return { ...rendered, onSave, column }
}

const button = (name: string): HTMLElement => screen.getByRole('button', { name })

test('a name and an expression are required', async () => {
  const { user, onSave, column } = open()
  await user.click(button('Save'))
  expect(column('Column 1').getAllByText('Value is required!')).toHaveLength(2)
  expect(onSave).not.toHaveBeenCalled()
})

test('names are unique in any letter case, including the columns of the table', async () => {
  const { user, onSave, column } = open(twice, { ...twice, name: 'TWICE' }, { ...twice, name: 'city' })
  await user.click(button('Save'))
  expect(column('TWICE').getByText('Value is duplicate!')).toBeVisible()
  expect(column('city').getByText('Value is duplicate!')).toBeVisible()
  expect(onSave).not.toHaveBeenCalled()
})

test('an expression without a column is invalid', async () => {
  const { user, column } = open({ ...twice, expression: '1 + 2' })
  await user.click(button('Save'))
  expect(column('Twice').getByText('Value is invalid!')).toBeVisible()
})

test('a fixed text and a position next to a column are required once selected, and stored as one text', async () => {
  const { user, onSave, column } = open(twice)
  await pick(user, 'Fixed text', 'Text before')
  await pick(user, 'Position', 'Before a column')
  await user.click(button('Save'))
  expect(column('Twice').getAllByText('Value is required!')).toHaveLength(2)
  await user.type(screen.getByRole('textbox', { name: 'Text' }), '$')
  await pick(user, 'Column', 'City')
  await user.click(button('Save'))
  expect(onSave).toHaveBeenCalledExactlyOnceWith([{ ...twice, fix: 'pre::$', position: 'b::City' }])
})

test('removing a column asks for confirmation', async () => {
  const { user, column } = open(twice)
  await user.click(button('Remove Twice'))
  expect(await screen.findByText('Are you sure?')).toBeVisible()
  await user.click(button('No'))
  expect(column('Twice').getByRole('textbox', { name: 'Name' })).toHaveValue('Twice')
  await user.click(button('Remove Twice'))
  await user.click(await screen.findByRole('button', { name: 'Yes, remove' }))
  expect(screen.queryByRole('group', { name: 'Twice' })).toBeNull()
  await user.click(button('Save'))
  expect(screen.getByRole('alert')).toHaveTextContent('Calculated Columns cannot be empty!')
})

test('a table has at most five calculated columns', async () => {
  const { user } = open(...['A', 'B', 'C', 'D', 'E'].map((name) => ({ ...twice, name })))
  await user.click(button('Add calculated column'))
  expect(await screen.findByText('A table has at most 5 calculated columns.')).toBeVisible()
  expect(screen.queryByRole('group', { name: 'Column 6' })).toBeNull()
})
