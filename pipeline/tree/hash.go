package tree

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"hash"
)

// blobHash computes the id that git gives to a blob while its bytes go by.
type blobHash struct{ hash.Hash }

func newBlobHash(size int64) blobHash {
	h := blobHash{sha1.New()}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

func (h blobHash) id() string { return hex.EncodeToString(h.Sum(nil)) }
