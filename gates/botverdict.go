package gates

import "selffix/pipeline/policy"

// verdictOfBot is gate 1. The webhook has no creator of the status, so the listing decides, by the creator's
// id and the exact bytes of the context; GitHub itself treats contexts as equal whatever their case.
func verdictOfBot(f Facts, p policy.Policy) *stop {
	if s := need(ruleUnread, "the commit's statuses", f.Statuses); s != nil {
		return s
	}
	_, s := newestOfBot(f, p)
	return s
}

// newestOfBot finds the bot's newest status on the event's commit, which must be its failure.
func newestOfBot(f Facts, p policy.Policy) (Status, *stop) {
	var byID, byTime Status
	var event *Status
	for i, st := range f.Statuses.Value {
		if st.ID <= 0 || !f.Clock.records(st.CreatedAt) || st.Context == "" || st.State == "" {
			return Status{}, undecided(ruleRecords, "a status lacks its id, context, state or time")
		}
		if st.ID == f.Event.StatusID {
			event = &f.Statuses.Value[i]
		}
		if st.CreatorID != p.Bot.ID || st.Context != p.Bot.Context {
			continue
		}
		if st.ID > byID.ID {
			byID = st
		}
		if st.CreatedAt.After(byTime.CreatedAt) || st.CreatedAt.Equal(byTime.CreatedAt) && st.ID > byTime.ID {
			byTime = st
		}
	}
	switch {
	case event == nil:
		return Status{}, undecided(ruleWitness, "the listing of statuses lacks the status of this event")
	case event.CreatorID != p.Bot.ID:
		return Status{}, nothing(ruleVerdict, "the status of this event was created by account %d", event.CreatorID)
	case event.Context != p.Bot.Context || event.State != "failure":
		return Status{}, nothing(ruleVerdict, "the status of this event is not the bot's failure")
	case byID.ID != byTime.ID:
		return Status{}, undecided(ruleOrder, "the bot's newest status by id is not the newest by time")
	case byID.State != "failure":
		return Status{}, nothing(ruleVerdict, "the bot's newest status on the commit is %s", state(byID.State))
	}
	return byID, nil
}
