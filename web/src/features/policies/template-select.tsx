import { type PolicyTemplate, policyTemplates } from '@portico/contract/rights/policy-templates'
import { Select } from '@mantine/core'
import { useState } from 'react'

/** Chooses a template to start a new policy from; its sentence is shown below. */
export function TemplateSelect({ onChoose }: { onChoose: (template: PolicyTemplate) => void }) {
  const [chosen, setChosen] = useState<PolicyTemplate | null>(null)
  return (
    <Select
      label="Template"
      placeholder="Start from a template"
      description={chosen?.sentence ?? 'Fills in the actions below, which can be changed.'}
      data={policyTemplates.map(({ name }) => name)}
      value={chosen?.name ?? null}
      allowDeselect={false}
      onChange={(name) => {
        const template = policyTemplates.find((each) => each.name === name)
        if (!template) return
        setChosen(template)
        onChoose(template)
      }}
    />
  )
}
