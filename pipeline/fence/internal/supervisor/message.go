package supervisor

import "time"

// Request is one run: what the supervisor does, in the order of its fields. The zero value runs nothing.
type Request struct {
	Owners     uint64 // descriptors from FDOwners on: user namespaces that Mount.Owner names
	Namespaces bool   // the supervisor was started in namespaces of its own: Mounts and Links become its root
	Mounts     []Mount
	Links      []Link
	Handled    Rights
	Grants     []Grant
	Program    string // absolute
	Args       []string
	Env        []string
	Dir        string
	User       uint64 // the uid and gid to take; 0: stay
	Capable    bool   // the bounding set is to be emptied as well
	Limits     []Limit
	Filter     []uint64 // of the program, one struct sock_filter each; OwnID in it stands for the program's process id
	Relay      Relay
	Timeout    time.Duration // when the program is killed
	OwnFilter  []uint64      // of the supervisor itself, once the program runs
}

// Mount is one path of the new root, under its own name: a private clone of the mount there.
type Mount struct {
	Path    string // absolute, without links; a folder comes before what lies in it
	Attr    uint64 // MOUNT_ATTR_* to set
	Owner   uint64 // 0: none; n: the n-th user namespace maps the path's owner to the program's uid
	Covered bool   // it lies in another one, where it is already
}

// Link is a symbolic link of the new root.
type Link struct{ Path, Text string }

// Rights are struct landlock_ruleset_attr: what is denied unless a grant allows it.
type Rights struct{ FS, Net, Scoped uint64 }

// Grant is a Landlock rule: what may be done with a file, or with a folder and all below it.
type Grant struct {
	Path      string
	File, Dir uint64
	Optional  bool // it need not exist
}

// Limit is one resource limit.
type Limit struct {
	Name            string // for people
	Resource, Value uint64
}

// Relay is the one TCP address that connects lead to. The zero value is none.
type Relay struct {
	IP   string // 4 or 16 bytes
	Port uint64
}

// Order is what the caller may say while the program runs. The end of the pipe is an order too: the caller died.
type Order struct{ Stop, Reason string }

// The reasons why a program is stopped.
const (
	Deadline  = "deadline"
	Exceeded  = "exceeded"
	Cancelled = "cancelled"
)

// Status is what the supervisor tells the caller. Exactly one of the first four holds.
type Status struct {
	Refused string // nothing has run; Other says that another layout may do
	Started uint64 // the program's process id as the supervisor sees it
	Ended   bool   // no process is left; Wait is the program's wait status, and Order why it was killed, if it was
	Lost    string // not every process could be ended
	Other   bool
	Wait    uint64
	Order   Order
}

func (r *Request) fields(w *wire) {
	w.number(&r.Owners)
	w.flag(&r.Namespaces)
	each(w, &r.Mounts, func(m *Mount) { w.text(&m.Path); w.number(&m.Attr); w.number(&m.Owner); w.flag(&m.Covered) })
	each(w, &r.Links, func(l *Link) { w.text(&l.Path); w.text(&l.Text) })
	w.number(&r.Handled.FS)
	w.number(&r.Handled.Net)
	w.number(&r.Handled.Scoped)
	each(w, &r.Grants, func(g *Grant) { w.text(&g.Path); w.number(&g.File); w.number(&g.Dir); w.flag(&g.Optional) })
	w.text(&r.Program)
	each(w, &r.Args, w.text)
	each(w, &r.Env, w.text)
	w.text(&r.Dir)
	w.number(&r.User)
	w.flag(&r.Capable)
	each(w, &r.Limits, func(l *Limit) { w.text(&l.Name); w.number(&l.Resource); w.number(&l.Value) })
	each(w, &r.Filter, w.number)
	w.text(&r.Relay.IP)
	w.number(&r.Relay.Port)
	timeout := uint64(r.Timeout)
	w.number(&timeout)
	r.Timeout = time.Duration(timeout)
	each(w, &r.OwnFilter, w.number)
}

func (o *Order) fields(w *wire) {
	w.text(&o.Stop)
	w.text(&o.Reason)
}

func (s *Status) fields(w *wire) {
	w.text(&s.Refused)
	w.number(&s.Started)
	w.flag(&s.Ended)
	w.text(&s.Lost)
	w.flag(&s.Other)
	w.number(&s.Wait)
	s.Order.fields(w)
}
