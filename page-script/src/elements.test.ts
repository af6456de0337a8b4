import { beforeEach, expect, test } from 'vitest'
import { fillElements } from './elements.ts'

beforeEach(() => {
  document.body.innerHTML = `
    <h1>Hello <b data-portico="First Name">friend</b></h1>
    <p data-portico-if="City" hidden>Near <i data-portico="city">you</i></p>
    <p data-portico-if="Opted In">Your newsletter</p>
    <em data-portico="Orders">no</em>`
})

const text = (selector: string): string => document.querySelector(selector)?.textContent ?? ''
const isShown = (selector: string): boolean => document.querySelector<HTMLElement>(selector)?.hidden === false

test('marked elements show the values, in any letter case of the column', () => {
  fillElements({ 'First Name': 'Anna', CITY: 'Denver', 'Opted In': true, Orders: 0 })
  expect([text('b'), text('i'), text('em')]).toEqual(['Anna', 'Denver', '0'])
  expect([isShown('[data-portico-if=City]'), isShown('[data-portico-if="Opted In"]')]).toEqual([true, true])
})

test('values are text, never HTML', () => {
  fillElements({ 'First Name': '<img src=x onerror=alert(1)>' })
  expect(text('b')).toBe('<img src=x onerror=alert(1)>')
  expect(document.querySelector('img')).toBeNull()
})

test.each([{}, { 'First Name': null, City: '', 'Opted In': false }, null])(
  'without a value, elements keep their text and conditional parts are hidden: %j',
  (visitor) => {
    fillElements(visitor)
    expect([text('b'), text('i'), text('em')]).toEqual(['friend', 'you', 'no'])
    expect([isShown('[data-portico-if=City]'), isShown('[data-portico-if="Opted In"]')]).toEqual([false, false])
  },
)

test('the original texts of the page are restored', () => {
  fillElements({ 'First Name': 'Anna', City: 'Denver' })
  fillElements(null)
  expect([text('b'), text('i')]).toEqual(['friend', 'you'])
  expect(isShown('[data-portico-if=City]')).toBe(false)
})

test('names of built-in object properties are not columns', () => {
  document.body.innerHTML = '<b data-portico="constructor">own text</b><i data-portico="__proto__">own text</i>'
  fillElements({ 'First Name': 'Anna' })
  expect([text('b'), text('i')]).toEqual(['own text', 'own text'])
})

test('an element that the page has changed is filled again', () => {
  fillElements({ 'First Name': 'Anna' })
  const name = document.querySelector('b')
  name?.append(' and more')
  fillElements({ 'First Name': 'Anna' })
  expect(text('b')).toBe('Anna')
})
