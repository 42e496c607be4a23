(** * The exact delta within the target's cell, for every eps >= 0

    From n + 1 rows to n the best event is 'at least m' for some m >= k ([best_event]), no m does better than k
    ([thresholds]: one row is set apart), and at k the gain rises with n and then falls ([peak]). So the maximum is one
    explicit number, and it is attained. From n rows to n + 1 the same holds with 'fewer than m'; there nothing is
    gained unless x (1-b) < 1. *)

From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Crowdproof Require Import Definitions Binomial.
Open Scope R_scope.

Section Tight.
Variables b x : R.
Hypothesis Hb : 0 < b < 1.
Hypothesis Hx : 1 <= x.
Notation f := (f b).
Notation Pr := (Pr b).
Notation gain := (gain b x).
Notation gain_less := (gain_less b x).

(** ** One row more *)

Lemma gain_rec n m : gain (S n) (S m) = b * gain n m + (1 - b) * gain n (S m).
Proof. unfold Definitions.gain. rewrite (at_least_rec b (S n)), (at_least_rec b n). ring. Qed.

Lemma gain_0 m : (1 <= m)%nat -> gain 0 (S m) = 0.
Proof. intro Hm. unfold Definitions.gain. rewrite at_least_0. destruct m; [lia |]. rewrite at_least_rec, !at_least_0. ring. Qed.

Lemma threshold U m : 0 <= U -> (1 <= m)%nat -> (forall n, gain n m <= U) -> forall n, gain n (S m) <= U.
Proof. intros HU Hm H. induction n.
 - rewrite gain_0 by exact Hm. exact HU.
 - rewrite gain_rec. assert (b * gain n m <= b * U) by (apply Rmult_le_compat_l; [lra | apply H]). assert ((1 - b) * gain n (S m) <= (1 - b) * U) by (apply Rmult_le_compat_l; [lra | exact IHn]). lra. Qed.

Lemma thresholds U k m : 0 <= U -> (1 <= k)%nat -> (k <= m)%nat -> (forall n, gain n k <= U) -> forall n, gain n m <= U.
Proof. intros HU Hk H. induction H; intros H0 n. apply H0. apply threshold; auto. lia. Qed.

Lemma gain_step n m : gain (S n) (S m) - gain n (S m) = b * (f (S n) m - x * f n m).
Proof. rewrite gain_rec. unfold Definitions.gain, at_least. change (sum (f (S n)) (S m)) with (sum (f (S n)) m + f (S n) m). change (sum (f n) (S m)) with (sum (f n) m + f n m). ring. Qed.

Variable g : R.
Hypothesis Hg : g * x = x - 1 + b.

Lemma g_range : 0 < g < 1.
Proof. split.
 - destruct (Rlt_dec 0 g); auto. exfalso. assert (g * x <= 0) by nra. lra.
 - destruct (Rlt_dec g 1); auto. exfalso. assert (g * x >= x) by nra. lra. Qed.

(** A function of n that rises up to p and falls from there has its maximum at p. *)
Lemma rise_and_fall (h : nat -> R) p : (forall n, (n < p)%nat -> h n <= h (S n)) -> (forall n, (p <= n)%nat -> h (S n) <= h n) -> forall n, h n <= h p.
Proof. intros UP DOWN n. destruct (le_lt_dec n p) as [L|L].
 - assert (U : forall d, (d <= p)%nat -> h (p - d)%nat <= h p).
   { induction d; intro Hd. replace (p - 0)%nat with p by lia. lra. eapply Rle_trans; [| apply IHd; lia]. replace (p - d)%nat with (S (p - S d)) by lia. apply UP. lia. }
   replace n with (p - (p - n))%nat by lia. apply U. lia.
 - assert (V : forall d, h (p + d)%nat <= h p).
   { induction d. replace (p + 0)%nat with p by lia. lra. eapply Rle_trans; [| exact IHd]. replace (p + S d)%nat with (S (p + d)) by lia. apply DOWN. lia. }
   replace n with (p + (n - p))%nat by lia. apply V. Qed.

Lemma scaled_le r n p : 0 <= r -> (n <= p)%nat -> r * INR n <= r * INR p.
Proof. intros. apply Rmult_le_compat_l. assumption. apply le_INR. assumption. Qed.

Lemma peak m p : g * INR p <= INR m -> INR m <= g * (INR p + 1) -> forall n, gain n (S m) <= gain p (S m).
Proof. intros H1 H2. assert (G := g_range). apply (rise_and_fall (fun n => gain n (S m))); intros n Hn; assert (Q := gain_step n m).
 - destruct (likelier b Hb x g n m Hx Hg) as [_ L]. assert (x * f n m <= f (S n) m).
   { apply L. rewrite <- S_INR. assert (g * INR (S n) <= g * INR p) by (apply scaled_le; [lra | lia]). lra. } nra.
 - destruct (likelier b Hb x g n m Hx Hg) as [L _]. assert (f (S n) m <= x * f n m).
   { apply L. rewrite <- S_INR in *. assert (g * INR (S p) <= g * INR (S n)) by (apply scaled_le; [lra | lia]). lra. } nra. Qed.

(** The gain of an event, count by count. *)
Lemma gain_by_count e n M : Pr e (S n) M - x * Pr e n M = sum (fun j => ind (e j) (f (S n) j - x * f n j)) M.
Proof. unfold Binomial.Pr. rewrite (sum_ext (fun j => ind (e j) (f (S n) j - x * f n j)) (fun j => 1 * ind (e j) (f (S n) j) + (- x) * ind (e j) (f n j))) by (intros j _; unfold ind; destruct (e j); ring). rewrite sum_lin. ring. Qed.

Lemma sum_gain n q : sum (fun j => f (S n) j - x * f n j) q = sum (f (S n)) q - x * sum (f n) q.
Proof. rewrite (sum_ext (fun j => f (S n) j - x * f n j) (fun j => 1 * f (S n) j + (- x) * f n j)) by (intros; ring). rewrite sum_lin. ring. Qed.

Lemma best_event k e n M : (1 <= k)%nat -> (S n < M)%nat -> (k <= M)%nat -> event k e -> exists m, (k <= m)%nat /\ Pr e (S n) M <= x * Pr e n M + gain n m.
Proof. intros Hk HM HkM [s Hs]. assert (G := g_range). assert (N0 : 0 <= INR n) by apply pos_INR.
 destruct (floor_nat (g * (INR n + 1))) as [m0 [L1 [L2 L3]]]. apply Rmult_le_pos; lra.
 assert (H : (m0 <= S n)%nat). { assert (H : INR m0 < INR (S (S n))). rewrite !S_INR. assert (g * (INR n + 1) < 1 * (INR n + 1)) by (apply Rmult_lt_compat_r; lra). lra. apply INR_lt in H. lia. }
 set (m := max k m0). assert (Hkm : (k <= m)%nat) by (unfold m; lia). assert (HmM : (m <= M)%nat) by (unfold m; lia).
 exists m. split. exact Hkm. set (h := fun j => f (S n) j - x * f n j). assert (D : Pr e (S n) M - x * Pr e n M = sum (fun j => ind (e j) (h j)) M) by apply gain_by_count.
 assert (GM : gain n m = sum (fun j => h (m + j)%nat) (M - m)).
 { assert (S1 := sum_split m h M HmM). assert (E1 := sum_gain n M). assert (E2 := sum_gain n m). fold h in E1, E2. rewrite !(total b) in E1 by lia. unfold Definitions.gain, at_least. lra. }
 assert (P1 : sum (fun j => ind (e (m + j)%nat) (h (m + j)%nat)) (M - m) <= sum (fun j => h (m + j)%nat) (M - m)).
 { apply sum_le. intros j _. destruct (likelier b Hb x g n (m + j) Hx Hg) as [_ S2]. assert (0 <= h (m + j)%nat). { unfold h. assert (x * f n (m + j) <= f (S n) (m + j)). apply S2. left. apply L2. unfold m; lia. lra. } unfold ind. destruct (e (m + j)%nat); lra. }
 assert (P2 : sum (fun j => ind (e j) (h j)) m <= 0).
 { rewrite (sum_split k (fun j => ind (e j) (h j)) m Hkm).
   assert (A : sum (fun j => ind (e j) (h j)) k <= 0).
   { rewrite (sum_ext _ (fun j => ind s (h j))) by (intros j Hj; rewrite Hs by exact Hj; reflexivity). destruct s; unfold ind.
     - change (sum h k <= 0). unfold h. rewrite sum_gain. assert (C := cdf_step b Hb n k). assert (0 <= sum (f n) k) by (apply sum_nn; intro; apply f_nn; exact Hb). assert (1 * sum (f n) k <= x * sum (f n) k) by (apply Rmult_le_compat_r; lra). lra.
     - rewrite sum_const0. lra. }
   assert (B : sum (fun j => ind (e (k + j)%nat) (h (k + j)%nat)) (m - k) <= sum (fun _ => 0) (m - k)).
   { apply sum_le. intros j Hj. destruct (likelier b Hb x g n (k + j) Hx Hg) as [S1 _]. assert (h (k + j)%nat <= 0). { unfold h. assert (f (S n) (k + j) <= x * f n (k + j)). apply S1. apply L1. unfold m in Hj; lia. lra. } unfold ind. destruct (e (k + j)%nat); lra. }
   rewrite sum_const0 in B. lra. }
 rewrite (sum_split m (fun j => ind (e j) (h j)) M HmM) in D. lra. Qed.

Theorem tight_more k p : (1 <= k)%nat -> g * INR p <= INR k - 1 -> INR k - 1 <= g * (INR p + 1) ->
  0 <= gain p k /\ forall e n M, event k e -> (S n < M)%nat -> (k <= M)%nat -> Pr e (S n) M <= x * Pr e n M + gain p k.
Proof. intros Hk H1 H2. destruct k as [|m]; [lia |]. rewrite S_INR in *.
 assert (PK : forall q, gain q (S m) <= gain p (S m)) by (apply peak; lra).
 assert (U : 0 <= gain p (S m)). { eapply Rle_trans; [| apply (PK 0%nat)]. destruct m. unfold Definitions.gain, at_least; simpl; lra. rewrite gain_0 by lia. lra. }
 split. exact U. intros e n M He HM HkM.
 destruct (best_event (S m) e n M Hk HM HkM He) as [m' [Hm' B]]. assert (gain n m' <= gain p (S m)) by (apply thresholds with (S m); auto). lra. Qed.

(** ** One row less *)

Lemma less_rec n m : gain_less (S n) (S m) = b * gain_less n m + (1 - b) * gain_less n (S m).
Proof. unfold Definitions.gain_less. rewrite (at_least_rec b (S n)), (at_least_rec b n). ring. Qed.

Lemma less_0 m : (1 <= m)%nat -> gain_less 0 (S m) <= 0.
Proof. intro Hm. unfold Definitions.gain_less. rewrite at_least_0. destruct m; [lia |]. rewrite at_least_rec, !at_least_0. lra. Qed.

Lemma less_threshold U m : 0 <= U -> (1 <= m)%nat -> (forall n, gain_less n m <= U) -> forall n, gain_less n (S m) <= U.
Proof. intros HU Hm H. induction n.
 - apply Rle_trans with 0; [apply less_0; exact Hm | exact HU].
 - rewrite less_rec. assert (b * gain_less n m <= b * U) by (apply Rmult_le_compat_l; [lra | apply H]). assert ((1 - b) * gain_less n (S m) <= (1 - b) * U) by (apply Rmult_le_compat_l; [lra | exact IHn]). lra. Qed.

Lemma less_thresholds U k m : 0 <= U -> (1 <= k)%nat -> (k <= m)%nat -> (forall n, gain_less n k <= U) -> forall n, gain_less n m <= U.
Proof. intros HU Hk H. induction H; intros H0 n. apply H0. apply less_threshold; auto. lia. Qed.

Lemma less_step n m : gain_less (S n) (S m) - gain_less n (S m) = b * (x * f (S n) m - f n m).
Proof. rewrite less_rec. unfold Definitions.gain_less, at_least. change (sum (f (S n)) (S m)) with (sum (f (S n)) m + f (S n) m). change (sum (f n) (S m)) with (sum (f n) m + f n m). ring. Qed.

Variable g' : R.
Hypothesis Hg' : g' = 1 - x * (1 - b).

Lemma less_peak m p : 0 < g' -> g' * INR p <= INR m -> INR m <= g' * (INR p + 1) -> forall n, gain_less n (S m) <= gain_less p (S m).
Proof. intros G H1 H2. apply (rise_and_fall (fun n => gain_less n (S m))); intros n Hn; assert (Q := less_step n m).
 - destruct (likelier_less b Hb x g' n m Hx Hg') as [L _]. assert (f n m <= x * f (S n) m).
   { apply L. rewrite <- S_INR. assert (g' * INR (S n) <= g' * INR p) by (apply scaled_le; [lra | lia]). lra. } nra.
 - destruct (likelier_less b Hb x g' n m Hx Hg') as [_ L]. assert (x * f (S n) m <= f n m).
   { apply L. rewrite <- S_INR in *. assert (g' * INR (S p) <= g' * INR (S n)) by (apply scaled_le; [lra | lia]). lra. } nra. Qed.

Lemma less_by_count e n M : Pr e n M - x * Pr e (S n) M = sum (fun j => ind (e j) (f n j - x * f (S n) j)) M.
Proof. unfold Binomial.Pr. rewrite (sum_ext (fun j => ind (e j) (f n j - x * f (S n) j)) (fun j => 1 * ind (e j) (f n j) + (- x) * ind (e j) (f (S n) j))) by (intros j _; unfold ind; destruct (e j); ring). rewrite sum_lin. ring. Qed.

Lemma sum_less n q : sum (fun j => f n j - x * f (S n) j) q = gain_less n q.
Proof. rewrite (sum_ext (fun j => f n j - x * f (S n) j) (fun j => 1 * f n j + (- x) * f (S n) j)) by (intros; ring). rewrite sum_lin. unfold Definitions.gain_less, at_least. ring. Qed.

(** The counts whose ratio exceeds x come first, so the best event is 'fewer than m' or nothing. *)
Lemma best_event_less k e n M U : 0 < g' -> (S n < M)%nat -> (k <= M)%nat -> event k e -> 0 <= U -> (forall m, (k <= m)%nat -> gain_less n m <= U) -> Pr e n M <= x * Pr e (S n) M + U.
Proof. intros G HM HkM [s Hs] HU Hm. assert (N0 : 0 <= INR n) by apply pos_INR.
 assert (G1 : g' < 1) by (assert (0 < x * (1 - b)) by (apply Rmult_lt_0_compat; lra); lra).
 destruct (floor_nat (g' * (INR n + 1))) as [m0 [L1 [L2 L3]]]. apply Rmult_le_pos; lra.
 assert (H0 : (m0 <= S n)%nat). { assert (H : INR m0 < INR (S (S n))). rewrite !S_INR. assert (g' * (INR n + 1) < 1 * (INR n + 1)) by (apply Rmult_lt_compat_r; lra). lra. apply INR_lt in H. lia. }
 set (h := fun j => f n j - x * f (S n) j).
 assert (POS : forall j, (j < m0)%nat -> 0 <= h j). { intros j Hj. destruct (likelier_less b Hb x g' n j Hx Hg') as [_ L]. unfold h. assert (x * f (S n) j <= f n j) by (apply L; apply L1; exact Hj). lra. }
 assert (NEG : forall j, (m0 <= j)%nat -> h j <= 0). { intros j Hj. destruct (likelier_less b Hb x g' n j Hx Hg') as [L _]. unfold h. assert (f n j <= x * f (S n) j) by (apply L; left; apply L2; exact Hj). lra. }
 set (m := max k m0). assert (Hkm : (k <= m)%nat) by (unfold m; lia). assert (HmM : (m <= M)%nat) by (unfold m; lia).
 assert (D : Pr e n M - x * Pr e (S n) M = sum (fun j => ind (e j) (h j)) M) by apply less_by_count. rewrite (sum_split m (fun j => ind (e j) (h j)) M HmM) in D.
 assert (T : sum (fun j => ind (e (m + j)%nat) (h (m + j)%nat)) (M - m) <= 0).
 { rewrite <- (sum_const0 (M - m)). apply sum_le. intros j _. unfold ind. destruct (e (m + j)%nat); [apply NEG; unfold m; lia | lra]. }
 assert (HEAD : sum (fun j => ind (e j) (h j)) m <= U).
 { rewrite (sum_split k _ m Hkm). rewrite (sum_ext (fun j => ind (e j) (h j)) (fun j => ind s (h j)) k) by (intros j Hj; rewrite Hs by exact Hj; reflexivity).
   assert (GM := Hm m Hkm). rewrite <- (sum_less n m) in GM. fold h in GM. rewrite (sum_split k h m Hkm) in GM.
   destruct (le_lt_dec m0 k) as [C|C].
   - replace (m - k)%nat with 0%nat in * by (unfold m; lia). simpl sum in *. destruct s; unfold ind. change (sum h k + 0 <= U). lra. rewrite sum_const0. lra.
   - assert (K0 : 0 <= sum h k). { rewrite <- (sum_const0 k). apply sum_le. intros j Hj. apply POS. lia. }
     assert (B : sum (fun j => ind (e (k + j)%nat) (h (k + j)%nat)) (m - k) <= sum (fun j => h (k + j)%nat) (m - k)).
     { apply sum_le. intros j Hj. assert (0 <= h (k + j)%nat) by (apply POS; unfold m in Hj; lia). unfold ind. destruct (e (k + j)%nat); lra. }
     destruct s; unfold ind. change (sum h k + sum (fun j => ind (e (k + j)%nat) (h (k + j)%nat)) (m - k) <= U). lra. change (sum (fun _ => 0) k + sum (fun j => ind (e (k + j)%nat) (h (k + j)%nat)) (m - k) <= U). rewrite sum_const0. lra. }
 lra. Qed.

Theorem tight_less k p U : (1 <= k)%nat -> 0 < g' -> g' * INR p <= INR k - 1 -> INR k - 1 <= g' * (INR p + 1) -> 0 <= U -> gain_less p k <= U ->
  forall e n M, event k e -> (S n < M)%nat -> (k <= M)%nat -> Pr e n M <= x * Pr e (S n) M + U.
Proof. intros Hk G H1 H2 HU HG e n M He HM HkM. apply (best_event_less k); try assumption. intros m Hm. destruct k as [|j]; [lia |]. rewrite S_INR in *.
 apply less_thresholds with (S j); try assumption. intro q. apply Rle_trans with (gain_less p (S j)); [apply less_peak; lra | exact HG]. Qed.

(** ** Both numbers are attained by the event 'at least k' or its opposite *)

Lemma Pr_at_least k q M : (q < M)%nat -> (k <= M)%nat -> Pr (fun j => (k <=? j)%nat) q M = at_least b q k.
Proof. intros Hq HkM. unfold Binomial.Pr, at_least. rewrite <- (total b q M Hq). rewrite (sum_split k (f q) M HkM), (sum_split k _ M HkM).
 rewrite (sum_ext (fun j => ind (k <=? j)%nat (f q j)) (fun _ => 0)) by (intros j Hj; replace (k <=? j)%nat with false by (symmetry; apply Nat.leb_gt; exact Hj); reflexivity).
 rewrite (sum_ext (fun j => ind (k <=? k + j)%nat (f q (k + j))) (fun j => f q (k + j)%nat)) by (intros j _; replace (k <=? k + j)%nat with true by (symmetry; apply Nat.leb_le; lia); reflexivity).
 rewrite sum_const0. ring. Qed.

End Tight.
