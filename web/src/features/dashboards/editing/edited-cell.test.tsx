import { screen, within } from '@testing-library/react'
import { useEffect, useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { aChart } from '#test/dashboards.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn, serveApi } from '#test/server.ts'
import { EditedCell } from './edited-cell.tsx'
import type { Layout } from './layout.ts'

const text = (id: string, cols: number) => ({
  id,
  cols,
  chart: aChart({ type: 'Text', title: id, portico: { text: id } }),
})

const shown: { layout: Layout } = { layout: [] }

function Grid({ first }: { first: Layout }) {
  const [layout, setLayout] = useState(first)
  useEffect(() => {
    shown.layout = layout
  }, [layout])
  return layout
    .flat()
    .map((cell) => <EditedCell key={cell.id} {...{ cell, layout }} onChange={(next) => setLayout(next)} />)
}

beforeEach(() => {
  beSignedIn()
  serveApi({})
})

const ids = (): string[][] => shown.layout.map((row) => row.map(({ id, chart }) => chart?.title ?? id))

test('buttons move a cell, start a row with it, copy it and delete it', async () => {
  const { user } = renderApp(<Grid first={[[text('One', 6), text('Two', 6)], [text('Three', 12)]]} />)
  const press = (name: string) => user.click(screen.getByRole('button', { name }))
  await press('Move right: One')
  expect(ids()).toEqual([['Two', 'One'], ['Three']])
  await press('Move left: One')
  await press('Move down: One')
  expect(ids().flat()).toHaveLength(3)
  await press('Move up: One')
  expect(ids()[0]).toContain('One')
  await press('Copy Three')
  expect(
    ids()
      .flat()
      .filter((title) => title === 'Three'),
  ).toHaveLength(2)
  await press('Delete Two')
  expect(ids().flat()).not.toContain('Two')
})

test('a second cell starts a new row', async () => {
  const { user } = renderApp(<Grid first={[[text('One', 6), text('Two', 6)]]} />)
  expect(screen.getByRole('button', { name: 'Start a new row with One' })).toHaveAttribute('aria-disabled', 'true')
  await user.click(screen.getByRole('button', { name: 'Start a new row with Two' }))
  expect(ids()).toEqual([['One'], ['Two']])
})

test('a slider sets the width to 4 to 12 columns', async () => {
  const { user } = renderApp(<Grid first={[[text('One', 6)]]} />)
  const slider = screen.getByRole('slider', { name: 'Width of One' })
  expect(slider).toHaveAttribute('aria-valuemin', '4')
  expect(slider).toHaveAttribute('aria-valuemax', '12')
  slider.focus()
  await user.keyboard('{Home}')
  expect(shown.layout[0]?.[0]?.cols).toBe(4)
  await user.keyboard('{ArrowLeft}')
  expect(shown.layout[0]?.[0]?.cols).toBe(4)
  await user.keyboard('{End}{ArrowRight}')
  expect(shown.layout[0]?.[0]?.cols).toBe(12)
})

test('an empty cell offers a choice of content', async () => {
  const { user } = renderApp(<Grid first={[[{ id: 'a', cols: 12 }]]} />)
  await user.click(screen.getByRole('button', { name: 'Choose what it shows' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a Cell' }))
  expect(dialog.getByRole('button', { name: 'Column chart' })).toBeVisible()
})
