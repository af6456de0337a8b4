import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { useState } from 'react'
import { aChart, groupedByCity } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { readInteraction, useInteraction } from '../interaction-address.ts'
import { DropdownCell } from './dropdown-cell.tsx'

function Cell({ multipleSelect }: { multipleSelect: boolean }) {
  const choosing = useInteraction()
  const chart = aChart({ type: 'Dropdown', title: 'City', filter: groupedByCity, options: {}, multipleSelect })
  const [source] = useState({ kind: 'edited' as const, chart })
  const cell = { id: 'which', cols: 6, chart }
  return <DropdownCell {...{ cell, source }} choosing={choosing} shows="chart" isVisible />
}

const values = {
  rows: [
    { value: 'Denver', count: 2000 },
    { value: null, count: 1 },
  ],
  total: 2,
  asOf: '2026-03-01T10:00:00.000Z',
  fields: [{ name: 'City', type: 'string', isIndexed: false }],
}

function open(multipleSelect: boolean) {
  const sent = serveApi({ 'POST /contact-service/v1/dashboards/previews': answer(values) })
  return { ...renderApp(<Cell multipleSelect={multipleSelect} />), sent }
}

const chosenIn = (address: string) => readInteraction(new URLSearchParams(address.slice(1))).choices

beforeEach(() => beSignedIn())

test('choosing a value closes the list, and the value can be cleared', async () => {
  const { user, address } = open(false)
  await user.click(screen.getByRole('button', { name: 'City: All' }))
  await user.click(await screen.findByRole('checkbox', { name: 'Denver (2,000)' }))
  expect(chosenIn(address())).toMatchObject([{ cell: 'which', include: ['Denver'], exclude: [] }])
  await user.click(screen.getByRole('button', { name: 'City: Denver' }))
  await user.click(await screen.findByRole('button', { name: 'Clear' }))
  expect(chosenIn(address())).toEqual([])
})

test('several values, including no value, can be included or excluded, and searched', async () => {
  const { user, sent, address } = open(true)
  await user.click(screen.getByRole('button', { name: 'City: All' }))
  await user.click(await screen.findByRole('checkbox', { name: 'Denver (2,000)' }))
  await user.click(screen.getByRole('checkbox', { name: '(no value) (1)' }))
  expect(chosenIn(address())).toMatchObject([{ include: ['Denver', null], exclude: [] }])
  await user.click(screen.getByRole('radio', { name: 'Exclude' }))
  expect(chosenIn(address())).toMatchObject([{ include: [], exclude: ['Denver', null] }])
  expect(screen.getByRole('button', { name: 'City: All but 2 values', hidden: true })).toBeInTheDocument()
  expect(screen.getByText('2 chosen')).toBeVisible()
  await user.type(screen.getByRole('textbox', { name: 'Search values' }), 'den')
  await expect.poll(() => sent.at(-1)?.body).toMatchObject({ search: 'den' })
})
