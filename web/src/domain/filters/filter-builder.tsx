import { Alert, Button, Tabs } from '@mantine/core'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { TabLabel } from '#ui/page/tab-label.tsx'
import { useTypedInput } from '#ui/form/typed-input.ts'
import { AdminExtras } from './admin-extras.tsx'
import { AdvancedView } from './advanced-view.tsx'
import { draftOf, filterOfDraft, type FilterTab, isValid, withoutMissing } from './draft.ts'
import { emptyFilter, type Filter, filterFields } from './stages/filter.ts'
import css from './filter-builder.module.css'
import { FilterFoot } from './filter-foot.tsx'
import { FilterTabBody } from './tabs/filter-tab-body.tsx'
import type { FilterBuilderProps, TabProps } from './props.ts'
import { stagesOf } from './stages/stages-of.ts'
import { useDraft } from './use-draft.ts'
import { useProblems } from './use-problems.ts'
import { useQuestion } from './use-confirm.tsx'

const tabNames: Record<FilterTab, string> = {
  standard: 'Standard',
  behavioral: 'Behavioral',
  bylocation: 'By Location',
  groupby: 'Groupby',
  columns: 'Columns',
  predefined: 'Predefined',
  fulltext: 'Full Text',
}

/**
 * Builds a filter, tab by tab (specification 3 §2.6), which takes effect on Apply. Meanwhile shows the number of
 * matching contacts and the filter as a sentence.
 */
export function FilterBuilder(props: FilterBuilderProps) {
  const { value, onApply, onCancel, tabs, noun, isAdmin = false, needsSecondLevel = false } = props
  const root = useRef<HTMLElement>(null)
  const [tab, setTab] = useState<FilterTab | null>(() => tabOf(value, tabs))
  const { draft, change, isApplied, setApplied } = useDraft(value)
  // Missing values are reported after the first Apply, invalid ones while typing.
  const [showsMissing, setShowsMissing] = useState(false)
  const question = useQuestion()
  useTypedInput(!isApplied)
  const fields = useMemo(() => (noun ? [...props.fields] : filterFields(props.fields)), [noun, props.fields])
  const { problems, onlyIndexedFields } = useProblems(draft, fields, { needsSecondLevel, isOfContacts: !noun })
  const shown = useMemo(() => (showsMissing ? problems : withoutMissing(problems)), [showsMissing, problems])
  const filter = useMemo(() => (isValid(problems) ? filterOfDraft(draft) : null), [problems, draft])

  // The names are those of the tabs.
  const wrongTabs = (Object.keys(tabNames) as FilterTab[]).filter((one) => Object.keys(problems[one]).length > 0)

  function apply(): void {
    setShowsMissing(filter === null)
    if (!filter) return showFirstProblem()
    setApplied()
    onApply(filter)
  }

  function showFirstProblem(): void {
    setTab(tabs.find((one) => wrongTabs.includes(one)) ?? tab)
    // Once it is rendered.
    window.setTimeout(() => root.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }

  function reset(): void {
    setShowsMissing(false)
    change(draftOf(emptyFilter))
  }

  /** A deleted filter must not stay applied. The other tabs keep their conditions. */
  function onDeleted(id: string): void {
    const others = { ...draft, predefined: null }
    change(others)
    if (id !== value.predefined) return
    if (stagesOf({ ...filterOfDraft(others), sort: null }).length === 0) setApplied()
    onApply(emptyFilter)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const { target, currentTarget } = event
    const isText = target instanceof HTMLInputElement && target.getAttribute('aria-haspopup') === null
    // Dialogs of the builder handle Enter themselves.
    if (event.key !== 'Enter' || !isText || !currentTarget.contains(target)) return
    event.preventDefault()
    if (!isApplied || filter === null) apply()
  }

  const tabProps = (of: FilterTab): TabProps => ({
    draft,
    onChange: change,
    problems: shown[of],
    confirm: question.ask,
  })
  return (
    // As in a form, Enter in an input applies; forms cannot be nested in that of a dialog.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the inputs within, as of a form
    <section ref={root} className={css['builder']} aria-label="Filter builder" onKeyDown={onKeyDown}>
      {draft.advanced ? (
        <AdvancedView advanced={draft.advanced} />
      ) : (
        <Tabs value={tab} onChange={(chosen) => setTab(tabs.find((one) => one === chosen) ?? null)} keepMounted={false}>
          <Tabs.List aria-label="Filter" className={css['tabs'] ?? ''}>
            {tabs.map((one) => (
              <Tabs.Tab key={one} value={one}>
                <TabLabel isWrong={Object.keys(shown[one]).length > 0}>{tabNames[one]}</TabLabel>
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map((one) => (
            <Tabs.Panel key={one} value={one} pt="sm">
              {draft.predefined !== null && one !== 'predefined' && (
                <OverriddenNote onUse={() => change({ ...draft, predefined: null })} />
              )}
              <FilterTabBody
                tab={one}
                tabProps={tabProps(one)}
                builder={props}
                fields={fields}
                onlyIndexedFields={onlyIndexedFields}
                isApplied={isApplied}
                onDeleted={onDeleted}
              />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
      <FilterFoot filter={filter} fields={fields} noun={noun} incomplete={wrongTabs.map((one) => tabNames[one])} />
      {isAdmin && <AdminExtras filter={filter} />}
      <Buttons
        isApplied={isApplied}
        canApply={!isApplied || filter === null}
        onReset={() => question.ask('Are you sure to remove all filters?', reset)}
        {...(onCancel && { onCancel })}
        onApply={apply}
      />
      {question.dialog}
    </section>
  )
}

type ButtonsProps = Pick<FilterBuilderProps, 'onCancel'> & {
  isApplied: boolean
  canApply: boolean
  onReset: () => void
  onApply: () => void
}

function Buttons({ isApplied, canApply, onReset, onCancel, onApply }: ButtonsProps) {
  return (
    <div className={css['buttons']}>
      {!isApplied && <output className={css['state']}>Not applied</output>}
      <Button variant="subtle" color="gray" onClick={onReset}>
        Reset
      </Button>
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <Button onClick={onApply} disabled={!canApply}>
        Apply
      </Button>
    </div>
  )
}

/** The first tab in use, else the first. */
function tabOf(filter: Filter, tabs: readonly FilterTab[]): FilterTab | null {
  const used: Record<FilterTab, boolean> = {
    standard: filter.standard.length > 0,
    behavioral: filter.behavioral.length > 0,
    bylocation: filter.location !== null,
    groupby: filter.groupBy !== null,
    columns: false,
    predefined: filter.predefined !== null,
    fulltext: filter.fullText !== '',
  }
  return tabs.find((tab) => used[tab]) ?? tabs[0] ?? null
}

function OverriddenNote({ onUse }: { onUse: () => void }) {
  return (
    <Alert color="yellow" py={6} mb="sm" classNames={{ message: css['note'] ?? '' }}>
      <span>A predefined filter is selected. It replaces the conditions below.</span>
      <Button variant="default" size="compact-xs" onClick={onUse}>
        Use these tabs instead
      </Button>
    </Alert>
  )
}
