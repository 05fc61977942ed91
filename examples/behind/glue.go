// The glue in Go: the engine's rows, best first, become the order to show; what visitors do goes back.
// SPDX-License-Identifier: ISC
package behind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"sync"
	"time"
)

var API, client = "http://127.0.0.1:8080", http.Client{Timeout: 500 * time.Millisecond}
var said sync.Map

// Row has the features of a document; nil is one without a value.
type Row struct {
	Name     string `json:"name"`
	Features []any  `json:"features"`
}

// ask says what fails on standard error, each kind once a minute.
func ask(path string, body map[string]any, visitor string, answer any) bool {
	if visitor != "" {
		body["client"] = visitor
	}
	err := post(path, body, answer)
	if err == nil {
		return true
	}
	kind := fmt.Sprintf("%s %.3s %t", path, err, os.IsTimeout(err))
	if last, _ := said.Load(kind); last == nil || time.Since(last.(time.Time)) >= time.Minute {
		said.Store(kind, time.Now())
		fmt.Fprintln(os.Stderr, "rankpipe:", API+path+":", err)
	}
	return false
}

func post(path string, body map[string]any, answer any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	reply, err := client.Post(API+path, "application/json", bytes.NewReader(sent))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode == 200 {
		return json.Unmarshal(text, answer)
	}
	if err == nil && reply.StatusCode != 204 {
		err = fmt.Errorf("%d %s", reply.StatusCode, bytes.TrimSpace(text))
	}
	return err
}

// Ranked gives the name of the request and the order to show, of which the page shows the first ones; where that fails, ""
// and the engine's own order. visitor is the address of who asks, or id: and the name of a user.
func Ranked(query string, rows []Row, visitor string, shown int) (string, []Row) {
	var found struct {
		Request string
		Ranking []string
	}
	order := append([]Row{}, rows...)
	if shown > len(rows) {
		shown = len(rows)
	}
	if shown == 0 || !ask("/rank", map[string]any{"query": query, "documents": rows, "shown": shown}, visitor, &found) {
		return "", order
	}
	place := map[string]int{}
	for at, name := range found.Ranking {
		place[name] = at
	}
	sort.SliceStable(order, func(i, j int) bool { return place[order[i].Name] < place[order[j].Name] })
	return found.Request, order
}

// Event says that a visitor did something with a document: click, basket, order, or back.
func Event(request, item, kind, visitor string) {
	ask("/event", map[string]any{"request": request, "item": item, "type": kind}, visitor, nil)
}
