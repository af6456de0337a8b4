import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
  completionStatus,
  pickedCompletion,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { Annotation, EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { jsonCodeLooks } from './json-code-looks.ts'
import { scanJson } from './json-scan.ts'
import type { JsonProblem, JsonSuggestions, NameSuggestion } from './json-suggestions.ts'

type Settings = {
  value: string
  problems: readonly JsonProblem[]
  suggest: JsonSuggestions
  onChange: (value: string) => void
  /** Attributes of the text area: its name, its description, whether it has an error. */
  attributes: Record<string, string>
}

export type JsonCode = { update: (settings: Settings) => void; destroy: () => void }

const fromOutside = Annotation.define<boolean>()

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'light-dark(#1f469f, #9dbaff)' },
  { tag: tags.string, color: 'light-dark(#8a2f12, #f0a98f)' },
  { tag: tags.number, color: 'light-dark(#0b6357, #7fd4c1)' },
  { tag: [tags.bool, tags.null], color: 'light-dark(#7a2a86, #dda3e8)' },
])

/** Starts a JSON editor in an element. Tab leaves it, as it leaves any field. */
export function startJsonCode(parent: HTMLElement, first: Settings): JsonCode {
  let settings = first
  const view = new EditorView({
    parent,
    doc: first.value,
    extensions: [
      lineNumbers(),
      foldGutter({ openText: '▾', closedText: '▸' }),
      lintGutter(),
      history(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      json(),
      syntaxHighlighting(colours),
      EditorView.lineWrapping,
      EditorState.tabSize.of(2),
      autocompletion({
        icons: false,
        override: [(context) => completionsAt(context, settings.suggest)],
        // Keeps the given order.
        compareCompletions: () => 0,
        // After a name, its values are suggested.
        activateOnCompletion: ({ type }) => type === 'name',
      }),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...defaultKeymap,
      ]),
      jsonCodeLooks,
      EditorView.contentAttributes.of(({ state }) => ({
        ...settings.attributes,
        spellcheck: 'false',
        tabindex: '0',
        // Escape closes the suggestions, not the dialog around them.
        ...(completionStatus(state) !== null && { 'data-mantine-stop-propagation': 'true' }),
      })),
      EditorView.updateListener.of(({ docChanged, transactions, state }) => {
        const isTyped = docChanged && !transactions.some((one) => one.annotation(fromOutside))
        if (isTyped) settings.onChange(state.doc.toString())
      }),
    ],
  })
  const update = (next: Settings): void => {
    settings = next
    const { doc } = view.state
    if (doc.toString() !== next.value) {
      const changes = { from: 0, to: doc.length, insert: next.value }
      view.dispatch({ changes, annotations: fromOutside.of(true) })
    }
    // Also applies the attributes.
    view.dispatch(setDiagnostics(view.state, diagnosticsOf(next)))
  }
  update(first)
  return { update, destroy: () => view.destroy() }
}

const diagnosticsOf = ({ problems, value }: Settings) =>
  problems.map(({ from, to, message }) => ({
    from: Math.min(from, value.length),
    to: Math.min(to, value.length),
    severity: 'error' as const,
    message,
  }))

/** Names or values that fit at the cursor: while typing, or on request. */
function completionsAt(context: CompletionContext, suggest: JsonSuggestions): CompletionResult | null {
  const text = context.state.doc.toString()
  const { spot } = scanJson(text, context.pos)
  if (!spot || (!context.explicit && spot.from === context.pos)) return null
  const options =
    spot.of === 'value'
      ? suggest.values(spot.path).map((json) => ({ label: json.replaceAll('"', ''), apply: applyOf(json) }))
      : suggest
          .names(spot.path)
          .filter(({ name }) => !spot.names.includes(name) || text.slice(spot.from, spot.to) === JSON.stringify(name))
          .map(nameCompletion)
  // Only the text after the quotation mark is compared.
  const from = text[spot.from] === '"' && spot.from < context.pos ? spot.from + 1 : spot.from
  return options.length === 0 ? null : { from, options, validFor: /^[\w-]*$/ }
}

/** Completes a name with its colon and the beginning of its value, whose values are suggested next. */
const nameCompletion = ({ name, info, value }: NameSuggestion): Completion => ({
  label: name,
  // Names with a meaning here come first.
  ...(info !== undefined && { detail: info, boost: 1 }),
  type: 'name',
  apply: applyOf(JSON.stringify(name), value),
})

/** Replaces the typed text with JSON; a name gets a colon and a value unless it has them. */
const applyOf =
  (json: string, value?: string) =>
  (view: EditorView, completion: Completion): void => {
    const { doc, selection } = view.state
    const { from, to } = scanJson(doc.toString(), selection.main.head).spot ?? selection.main
    const isWhole = value === undefined || /^\s*:/.test(doc.sliceString(to, to + 20))
    const insert = isWhole ? json : `${json}: ${value}`
    // Moves the cursor between the brackets or quotation marks of an empty value.
    const back = !isWhole && value.length === 2 ? 1 : 0
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length - back },
      userEvent: 'input.complete',
      annotations: pickedCompletion.of(completion),
    })
  }
