import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { shownProps } from './jsx-runtime.ts'

const name = 'ecnis\u202E gnp.exe\u200B'
const shown = String.raw`ecnis\u202E gnp.exe\u200B`

test('texts of screens and components reveal invisible characters, inputs keep them', () => {
  render(
    <>
      <h1>{name}</h1>
      <p title={name}>Before {name} after</p>
      <input aria-label={name} defaultValue={name} />
    </>,
  )
  expect(screen.getByRole('heading').textContent).toBe(shown)
  expect(screen.getByText(`Before ${shown} after`).title).toBe(shown)
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: shown }).value).toBe(name)
})

test('letters and emoji that need joiners are kept, and unchanged properties are not copied', () => {
  const props = { children: ['\u{1F469}\u200D\u{1F680}', 1, null], title: 'क्\u200Dष', style: {} }
  expect(shownProps(props)).toBe(props)
  expect(shownProps({ ...props, title: name }).style).toBe(props.style)
})
